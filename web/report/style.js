/* The report's style, inside the file so that it needs no other: for light, dark and paper. The hues are Okabe and Ito's, which the colour-blind
 * can tell apart; each has a contrast of at least 3:1 with both grounds. */

export const STYLE = `
:root { color-scheme: light dark; --ground: #f4f2ec; --paper: #fffefb; --ink: #1c2a33; --soft: #55626b; --line: #d9d5ca; --good: #1f6f66; --bad: #a3321b; --on: #fff;
  --h0: #0072b2; --h1: #b87503; --h2: #008461; --h3: #b3568c; --h4: #c04f00; font: 16px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ground: #11171b; --paper: #1a2328; --ink: #e8ecec; --soft: #a3b0b5; --line: #354249; --good: #84d0c2; --bad: #ff9d85; --on: #11171b;
  --h0: #56b4e9; --h1: #e69f00; --h2: #2fbf94; --h3: #d98cb8; --h4: #f07c3a; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 0 1rem 4rem; background: var(--ground); color: var(--ink); }
main, header, footer { max-width: 60rem; margin: 0 auto; }
header { padding: 2.5rem 0 1rem; }
h1 { margin: 0 0 .25rem; font-size: clamp(1.6rem, 5vw, 2.3rem); line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 .25rem; font-size: 1.25rem; }
h3 { margin: 1rem 0 0; font-size: 1rem; }
p { margin: .25rem 0 .75rem; }
.soft, figcaption p, footer { color: var(--soft); }
.verdict { display: flex; gap: .9rem; align-items: start; margin: 1.25rem 0; padding: 1rem 1.25rem; border-radius: 1rem; border: 2px solid var(--good); background: var(--paper); }
.verdict.bad { border-color: var(--bad); }
.verdict svg { flex: none; width: 2.2rem; height: 2.2rem; color: var(--good); }
.verdict.bad svg { color: var(--bad); }
.verdict strong { font-size: 1.15rem; }
.verdict p { margin: .15rem 0 0; }
.lead { font-size: 1.2rem; line-height: 1.45; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .9rem; background: var(--paper); }
.figures dt { color: var(--soft); font-size: .875rem; }
.figures dd { margin: 0; font-size: 1.6rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
section, figure { margin: 1.25rem 0; padding: 1.25rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--paper); }
.chart { display: block; overflow: visible; margin-top: .5rem; }
.chart text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.chart .name { fill: var(--ink); font-weight: 600; }
.chart .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.chart line, .chart path { vector-effect: non-scaling-stroke; fill: none; }
.grid { stroke: var(--line); }
.mark { stroke: var(--soft); stroke-dasharray: 2 3; }
.chart .line { stroke-width: 2.25px; stroke-linejoin: round; }
.chart .dash { stroke-dasharray: 6 4; }
.h0 { --hue: var(--h0); } .h1 { --hue: var(--h1); } .h2 { --hue: var(--h2); } .h3 { --hue: var(--h3); } .h4 { --hue: var(--h4); } .h5 { --hue: var(--soft); }
.chart .line { stroke: var(--hue); } .chart .area { fill: var(--hue); } .chart .bars { fill: var(--hue); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.25rem; margin: .75rem 0 0; padding: 0; list-style: none; font-size: .875rem; }
.legend li { display: flex; gap: .5rem; align-items: center; }
.swatch { width: 1.4rem; height: .8rem; border-radius: .15rem; background: var(--hue); }
.swatch.line { height: 0; border-radius: 0; border-top: 3px solid var(--hue); background: none; }
.swatch.dash { border-top-style: dashed; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--soft); font-size: .875rem; font-weight: 600; }
td.n, th.n { text-align: end; white-space: nowrap; }
td.bars { width: 40%; vertical-align: middle; }
td small { display: block; color: var(--soft); }
.bar { display: block; height: .7rem; border-radius: .2rem; background: var(--h0); }
code { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .9rem 1rem; border-radius: .6rem; background: var(--ground); }
pre code { overflow-wrap: normal; }
.number { display: inline-block; min-width: 1.5rem; padding: 0 .3rem; border-radius: 1rem; background: var(--ink); color: var(--paper); font-size: .875rem; font-weight: 600; text-align: center; }
a { color: inherit; }
.tables a { display: inline-block; margin-inline-end: 1rem; padding: .35rem 0; }
details summary { cursor: pointer; padding: .4rem 0; }
:focus-visible { outline: 3px solid var(--h0); outline-offset: 2px; }
@media (max-width: 40rem) { .chart .more { display: none; } section, figure { padding: 1rem; } .lead { font-size: 1.1rem; } }
@media print {
  @page { margin: 14mm; }
  :root { color-scheme: light; --ground: #fff; --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --good: #1f6f66; --bad: #a3321b; --h0: #0072b2; --h1: #b87503; --h2: #008461; --h3: #b3568c; --h4: #c04f00; font-size: 11pt; print-color-adjust: exact; }
  body { padding: 0; } header { padding-top: 0; } main, header, footer { max-width: none; }
  section, figure { padding: .5rem 0; border: 0; border-top: 1px solid var(--line); border-radius: 0; }
  figure, .verdict, tr, pre { break-inside: avoid; } h2 { break-after: avoid; }
  .tables, .screen { display: none; }
}
`;
