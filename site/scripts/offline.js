// After one visit over https to the first page, the Lab or the lesson all pages work offline. They say when a newer
// version is there.
import { message } from "./messages.js";

/** offline has the service worker keep the site's files. keep() puts what is open into the browser's storage. */
export function offline(keep) {
  const version = document.querySelector("meta[name=version]").content;
  if (version === "dev" || !("serviceWorker" in navigator)) return;
  // The first one comes with the first visit, every other with another version.
  let had = !!navigator.serviceWorker.controller;
  // Without it the page works online.
  navigator.serviceWorker.register("sw.js", { updateViaCache: "none" }).catch(() => {});
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    const reload = () => keep().then(() => location.reload());
    if (had) message("update", "A newer version of this page is here.", [["Reload", reload]]);
    had = true;
  });
}
