// The page of one ticket: cart, checkout and payment by Vendure's API for shops.

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const pay = document.querySelector("#pay");

async function ask(query, variables) {
  const answer = await fetch("/shop-api", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await answer.json();
  // Without a permit: the page anew, which leads into the line.
  if (errors?.[0].extensions.code === "FORBIDDEN") location.reload();
  if (errors) throw new Error(errors[0].message);
  const [said] = Object.values(data);
  if (said?.errorCode) throw new Error(said.message);
  return said;
}

const ORDER = "... on Order { code totalWithTax state } ... on ErrorResult { errorCode message }";

async function reserve({ ticket, mail }) {
  await ask(`mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) { ${ORDER} } }`, { id: ticket });
  await ask(`mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { ${ORDER} } }`, {
    input: { firstName: "Some", lastName: "Body", emailAddress: mail },
  });
  await ask(`mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { ${ORDER} } }`, {
    input: { streetLine1: "Street 1", city: "Town", postalCode: "12345", countryCode: "DE" },
  });
  const [way] = await ask("{ eligibleShippingMethods { id } }");
  await ask(`mutation ($id: ID!) { setOrderShippingMethod(shippingMethodId: [$id]) { ${ORDER} } }`, { id: way.id });
  return ask(`mutation { transitionOrderToState(state: "ArrangingPayment") { ${ORDER} } }`);
}

const order = (total) =>
  total === 0
    ? ask(`mutation { transitionOrderToState(state: "PaymentSettled") { ${ORDER} } }`)
    : ask(`mutation { addPaymentToOrder(input: { method: "by-hand", metadata: {} }) { ${ORDER} } }`);

function offer({ totalWithTax }) {
  status.textContent = `${totalWithTax / 100} to pay by hand.`;
  pay.dataset.total = totalWithTax;
  pay.hidden = false;
}

/** What goes wrong is shown, and may be tried again. */
const trying = (act) => async (event) => {
  event.preventDefault();
  status.textContent = "…";
  await act().catch((error) => {
    status.textContent = error.message;
  });
};

form.addEventListener(
  "submit",
  trying(async () => {
    offer(await reserve(Object.fromEntries(new FormData(form))));
  }),
);
pay.addEventListener(
  "click",
  trying(async () => {
    const { code } = await order(Number(pay.dataset.total));
    location.assign(`receipt.html?code=${code}`);
  }),
);

const { items } = await ask("{ products { items { name variants { id } } } }");
for (const { name, variants } of items) {
  const label = document.createElement("label");
  const choice = Object.assign(document.createElement("input"), { type: "radio", name: "ticket", value: variants[0].id, required: true });
  label.append(choice, name);
  form.querySelector("fieldset").append(label);
}

// A visitor whose visit ended before the payment finds the order as it was.
const begun = await ask("{ activeOrder { totalWithTax state } }");
if (begun?.state === "ArrangingPayment") offer(begun);
