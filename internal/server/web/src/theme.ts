// Runs before the first paint, so that the page appears in the colours that the user chose.

try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // The browser keeps nothing for this page: the system's colours are used.
}
