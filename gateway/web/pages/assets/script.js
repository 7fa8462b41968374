// Small helps on top of pages that work without it: copy buttons, and forms that are sent once.
"use strict";

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    // Without an id, it copies what stands before it.
    const source = document.getElementById(button.dataset.copy) || button.previousElementSibling;
    const status = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      status.textContent = button.dataset.copied || "Copied";
    } catch {
      const range = document.createRange();
      range.selectNodeContents(source);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      status.textContent = button.dataset.selected || "Selected: press Ctrl+C";
    }
  });
}

// Public pages are the same for everybody, so that caches may share them: to somebody with a session they say here where the dashboard is.
// Without scripts, "Sign in" leads there too.
const signIn = document.querySelector("[data-accounts]");
if (signIn && /(^|; )(__Host-)?signed_in=1(;|$)/.test(document.cookie)) {
  signIn.href = "/accounts";
  signIn.textContent = signIn.dataset.accounts;
}

for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) {
      event.preventDefault();
    }
    form.dataset.sent = "yes";
    // Nobody says that the reader pressed Stop. A form that is sent twice takes effect once.
    setTimeout(() => delete form.dataset.sent, 5000);
  });
}

// On a phone the links of an account are a row that scrolls: it begins near the current one.
const current = document.querySelector("nav.account [aria-current]");
if (current) {
  const row = current.closest("ul");
  row.scrollLeft = current.offsetLeft - row.offsetLeft - row.clientWidth / 3;
}

// Keys for the buttons that name one, while nothing is typed.
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, select, textarea");
  if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat) {
    return;
  }
  const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (button) {
    event.preventDefault();
    button.click();
  }
});

// A page that comes back from the history may be sent again.
addEventListener("pageshow", () => {
  for (const form of document.forms) {
    delete form.dataset.sent;
  }
});

// The errors of a refused form are where the reader goes next: the only one, or the summary of several.
const invalid = document.querySelector(".summary li + li")?.closest(".summary") || document.querySelector("[aria-invalid=true]");
if (invalid) {
  invalid.focus();
}

// As many boxes as may be ticked: the others wait until one of them is unticked. Without scripts, the legend says it.
function tickAtMost(group) {
  const boxes = [...group.querySelectorAll("input[type=checkbox]")];
  const count = () => {
    const isFull = boxes.filter((box) => box.checked).length >= Number(group.dataset.most);
    for (const box of boxes) {
      box.disabled = isFull && !box.checked;
    }
  };
  group.addEventListener("change", count);
  count();
}

for (const group of document.querySelectorAll("[data-most]")) {
  tickAtMost(group);
}

// The time that is left counts down. Without scripts it is that of the page.
function countDown(left) {
  // The clock of this machine may be wrong, so that only its progress counts.
  const end = Date.now() + Number(left.dataset.left) * 1000;
  const timer = setInterval(() => {
    const minutes = Math.floor((end - Date.now()) / 60000);
    if (minutes < 0) {
      clearInterval(timer);
      left.textContent = "no time";
    } else if (minutes >= 1440) {
      left.textContent = `${Math.floor(minutes / 1440)} d ${Math.floor(minutes / 60) % 24} h`;
    } else if (minutes >= 60) {
      left.textContent = `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
    } else {
      left.textContent = `${Math.max(minutes, 1)} min`;
    }
  }, 1000);
}

for (const left of document.querySelectorAll("[data-left]")) {
  countDown(left);
}
