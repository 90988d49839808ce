export const loader = () => ({ heading: "More seats" });
export default function Page({ loaderData }) {
  return <h1>{loaderData.heading}</h1>;
}
