/* One question before anything changes. Escape and Cancel are no. What cannot be undone wants a word typed. */

const box = document.getElementById("confirm");
const part = (id) => document.getElementById(id);

part("word").addEventListener("input", () => {
  part("yes").disabled = part("word").value !== part("word").dataset.wanted;
});

part("word").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  // The form's first button is Cancel, which Enter would press.
  event.preventDefault();
  if (!part("yes").disabled) box.close("yes");
});

/** Resolves to whether the operator said yes; `typed`: `{ label, word }`, the word that must be typed before. */
export function confirmed(question, consequence, yes, typed) {
  part("question").textContent = question;
  part("consequence").textContent = consequence ?? "";
  part("yes").textContent = yes;
  part("typed").hidden = !typed;
  part("typed-label").textContent = typed?.label ?? "";
  part("word").value = "";
  part("word").dataset.wanted = typed?.word ?? "";
  part("yes").disabled = Boolean(typed);
  box.returnValue = "no";
  box.showModal();
  if (typed) part("word").focus();
  return new Promise((resolve) => {
    box.addEventListener("close", () => resolve(box.returnValue === "yes"), { once: true });
  });
}
