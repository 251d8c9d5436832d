/** Shared memory is for pages that are cross-origin isolated; a service worker makes this one so where the server does not. */

/** Set while a reload is under way that ought to bring isolation, so that there is one and not one after another. */
const RELOADED = 'rwsem reloaded for isolation';

const ADVICE = 'Open this page over https or from localhost, in a window that allows service workers (private windows of some browsers do not), or run "npm run site:serve" in the repository.';

/** Null if the page is isolated; otherwise why not and what to do. May reload the page, and then never returns. */
export async function whyNotIsolated(): Promise<string | null> {
  if (crossOriginIsolated) {
    sessionStorage.removeItem(RELOADED);
    return null;
  }
  if (!isSecureContext) return `This address is not a secure one, so there is no shared memory. ${ADVICE}`;
  if (!('serviceWorker' in navigator)) return `This browser gives the page no service worker, which would isolate it. ${ADVICE}`;
  if (sessionStorage.getItem(RELOADED) !== null) {
    sessionStorage.removeItem(RELOADED);
    return `The page is not cross-origin isolated, although its service worker runs. Reload it without holding Shift. ${ADVICE}`;
  }
  try {
    await navigator.serviceWorker.register('isolation-worker.js');
    await navigator.serviceWorker.ready;
  } catch (error) {
    return `The service worker that isolates the page was refused: ${(error as Error).message}. ${ADVICE}`;
  }
  sessionStorage.setItem(RELOADED, 'yes');
  location.reload();
  return new Promise<never>(() => {});
}
