export const getServerSideProps = () => ({ props: { heading: "More seats" } });
export default function Page({ heading }) {
  return <h1>{heading}</h1>;
}
