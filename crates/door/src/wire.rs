//! A connection whose client has to read: an answer that nobody takes for a while ends it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream that gives up when its other end takes nothing for so long.
pub(crate) struct Wire<S> {
    stream: S,
    patience: Duration,
    /// Runs out when the other end has taken nothing for too long; there is one while something waits to be taken.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Wire<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Wire<S> {
        Wire { stream, patience, stalled: None }
    }

    /// Hands on what the stream says, unless it has said "not yet" for too long.
    fn patient<T>(&mut self, context: &mut Context<'_>, told: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if told.is_ready() {
            self.stalled = None;
            return told;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        match stalled.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                stalled.as_mut().reset(Instant::now() + patience);
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let told = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.patient(context, told)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let told = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.patient(context, told)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let told = Pin::new(&mut self.stream).poll_flush(context);
        self.patient(context, told)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let told = Pin::new(&mut self.stream).poll_shutdown(context);
        self.patient(context, told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn whoever_reads_nothing_is_given_up() {
        let (near, mut far) = duplex(10);
        let mut wire = Wire::new(near, Duration::from_secs(3600));
        // Somebody who reads in small pieces gets everything.
        let reader = tokio::spawn(async move {
            let mut bytes = [0; 50];
            for piece in bytes.chunks_mut(5) {
                tokio::time::sleep(Duration::from_millis(1)).await;
                far.read_exact(piece).await.unwrap();
            }
            (far, bytes)
        });
        wire.write_all(&[7; 50]).await.unwrap();
        let (_far, bytes) = reader.await.unwrap();
        assert_eq!(bytes, [7; 50]);
        wire.patience = Duration::from_millis(10);
        wire.write_all(&[7; 10]).await.unwrap();
        let error = wire.write_all(&[7; 1]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
