// @ts-check

// Display names of games, such as "Connect Four" and "7 × 6", made from their specs.

/** @type {{ [letter: string]: string }} */
const MAN = { Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };

/** @param {string} material */
function chessName(material) {
  const all = /^all(\d)$/i.exec(material);
  if (all) return `Chess endings with ${all[1]} men`;
  const [, first, second] = /^K([QRBNP]*)K([QRBNP]*)$/i.exec(material) ?? [null, "", ""];
  /** @param {string} men */
  const side = (men) => {
    const words = [...men.toUpperCase()].map((letter) => MAN[letter]);
    if (words.length === 2 && words[0] === words[1]) return `two ${words[0]}s`;
    return words.length ? words.join(" and ") : "king";
  };
  const words = first ? `${side(first)} against ${side(second)}` : `Chess ${material}`;
  return words[0].toUpperCase() + words.slice(1);
}

/** @type {{ [argument: string]: string }} */
const MORRIS = {
  three: "Three Men’s Morris",
  tapatan: "Tapatan",
  six: "Six Men’s Morris",
  nine: "Nine Men’s Morris",
};

/**
 * A game's name, and the details that distinguish it from others of the same name.
 * @param {string} spec
 */
export function nameOfGame(spec) {
  const [head, ...options] = spec.split(",");
  const [family, argument = ""] = head.split(":");
  /** @param {string} key */
  const option = (key) => options.find((word) => word === key || word.startsWith(`${key}=`))?.split("=")[1];
  const details = [];
  const size = /^(\d+)x(\d+)$/.exec(argument);
  if (size) details.push(`${size[1]} × ${size[2]}`);
  if (options.some((word) => word.startsWith("obstacles"))) details.push("obstacles");
  if (options.some((word) => /^[xo]=/.test(word))) details.push("set up");
  if (options.includes("misere")) details.push("misère");
  const k = Number(option("k") ?? (family === "connect" ? 4 : 3));
  let name = family;
  if (family === "tictactoe") name = "Tic-tac-toe";
  else if (family === "mnk") {
    const square = size && size[1] === size[2];
    name =
      k === 5 && square && Number(size[1]) >= 13
        ? "Gomoku"
        : k === 3 && size?.[1] === "3" && size?.[2] === "3"
          ? "Tic-tac-toe"
          : `${k} in a row`;
  } else if (family === "connect4" || family === "connect") {
    name = k === 4 || family === "connect4" ? "Connect Four" : `Connect ${k}`;
    if (!size) details.unshift("7 × 6");
  } else if (family === "nim") {
    name = "Nim";
    details.push(argument.split("+").join(" · "), ...(options.includes("normal") ? ["last match wins"] : []));
  } else if (family === "chess") name = chessName(argument);
  else if (family === "morris") {
    name = MORRIS[argument] ?? "Morris";
    if (option("lines")) details.push(`${option("lines")} lines`);
    if (option("men")) details.push(`${option("men")} men`);
    if (options.includes("flying")) details.push("flying");
    if (option("flying") === "off") details.push("no flying");
  } else if (family === "pig" || family === "piglet") {
    name = family === "pig" ? "Pig" : "Piglet";
    details.push(`to ${argument || (family === "pig" ? 100 : 10)}`);
  } else if (family === "einstein") {
    name = "EinStein";
    if (!size) details.push("5 × 5");
  } else if (family === "hypergammon") name = "Hypergammon";
  return { name, detail: details.join(", ") };
}

/**
 * Name and details in one line.
 * @param {string} spec
 */
export function fullName(spec) {
  const { name, detail } = nameOfGame(spec);
  return detail ? `${name}, ${detail}` : name;
}
