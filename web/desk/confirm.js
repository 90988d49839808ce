/* One question before anything changes. Escape and Cancel are no. */

const box = document.getElementById("confirm");
const part = (id) => document.getElementById(id);

/** Resolves to whether the operator said yes. */
export function confirmed(question, consequence, yes) {
  part("question").textContent = question;
  part("consequence").textContent = consequence ?? "";
  part("yes").textContent = yes;
  box.returnValue = "no";
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener("close", () => resolve(box.returnValue === "yes"), { once: true });
  });
}
