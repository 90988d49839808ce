import { index, route } from "@react-router/dev/routes";
export default [
  index("routes/home.jsx"),
  route("buy", "routes/seats.jsx"),
  ...["two", "done", "order"].map((name) => route(`buy/${name}`, `routes/${name}.jsx`)),
];
