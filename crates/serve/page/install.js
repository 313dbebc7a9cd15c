// @ts-check

// Lets the browser keep the page and offer to install it, once everything else is done.

export function install() {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const begin = () =>
    navigator.serviceWorker.register("sw.js").catch(() => {
      // A browser that keeps nothing, such as a private window, shows the page all the same.
    });
  if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 3000 });
  else setTimeout(begin, 1000);
}
