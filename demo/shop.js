// The start page's live figures and its demo button. Runs in the browser; the button works without it too.

const button = document.querySelector(".demo button");
const idle = button.textContent;
const LOOK_EVERY_MS = 1_000;

function show({ inside, seats_left, bookings, crowd }) {
  const figures = { inside, seats_left, bookings, served: crowd?.served };
  for (const [id, value] of Object.entries(figures)) {
    document.getElementById(id).textContent = value?.toLocaleString(document.documentElement.lang) ?? "–";
  }
  button.disabled = crowd?.running === true;
  button.textContent = button.disabled ? button.dataset.busy : idle;
}

async function look() {
  try {
    if (!document.hidden) show(await (await fetch("/shop/stats?brief=1")).json());
  } catch {
    // The figures stay as they are until the next look.
  }
  setTimeout(look, LOOK_EVERY_MS);
}

document.querySelector(".demo form").addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  await fetch("/shop/crowd", { method: "POST", redirect: "manual" });
});
look();
