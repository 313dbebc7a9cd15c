// @ts-check

// Service worker registration, after the page has loaded; browsers then offer to install the page.

export function install() {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const begin = () =>
    navigator.serviceWorker.register("sw.js").catch(() => {
      // Browsers without storage, such as private windows, work without it.
    });
  if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 3000 });
  else setTimeout(begin, 1000);
}
