// The start page's live figures and its demo button. Runs in the browser; without it the button still works.

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
    // The next look tries again; the figures simply stay as they are.
  }
  setTimeout(look, LOOK_EVERY_MS);
}

document.querySelector(".demo form").addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  await fetch("/shop/crowd", { method: "POST", redirect: "manual" });
});
look();
