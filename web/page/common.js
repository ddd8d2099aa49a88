// What both views of the page share.

export const find = (id) => document.getElementById(id);
export const count = (number) => number.toLocaleString("en");
/** Lets the browser handle events. */
export const turn = (milliseconds = 0) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The adapter that the library takes, if there is one. */
export const requestAdapter = () => navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });

/** The browser's description of an adapter, which often has only a maker and a kind, or nothing. */
export const described = ({ info }) =>
  [info.description, info.vendor, info.architecture, info.device].filter((word) => word).join(" ");
