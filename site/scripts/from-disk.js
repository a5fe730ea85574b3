// Opened from the disk a browser loads no module: says so, where the page would stand at "Starting" for ever.
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    const note = document.createElement("p");
    note.className = "notice";
    note.setAttribute("role", "alert");
    note.textContent = "Browsers do not run this page from a file on the disk. " +
      "Serve its folder: make run, mhacsp serve, or any file host.";
    document.querySelector("main").prepend(note);
  });
}
