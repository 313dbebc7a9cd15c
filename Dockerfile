# Untested: it has been built nowhere yet (docs/install.md).
#
#   docker build --tag outplay .
#   docker run --rm -it --volume outplay:/data outplay play connect4
#   docker run --rm --publish 127.0.0.1:8080:8080 --volume outplay:/data outplay serve --addr 0.0.0.0:8080 --host localhost

FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
# .git is not copied; `--build-arg COMMIT=$(git rev-parse HEAD)` is what `outplay --version` names.
ARG COMMIT=
RUN OUTPLAY_COMMIT=$COMMIT cargo build --locked --profile dist --bin outplay

FROM debian:bookworm-slim
COPY --from=build /source/target/dist/outplay /usr/local/bin/outplay
RUN useradd --create-home outplay && install -d -o outplay -g outplay /data
USER outplay
ENV OUTPLAY_DATA=/data
VOLUME /data
ENTRYPOINT ["outplay"]
