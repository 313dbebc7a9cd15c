// What a scene means, without drawing it: which spots can be pointed at next, and what a move in a list points at.
//
//   path so far   []        [e2]          [e2, e4]
//   next          men       their goals   (complete: one move, or a choice)

/** Spots that stand for another: a whole column drops a stone, equal piles are one to the rules. */
export function aliases(scene) {
  const alias = new Map();
  const firsts = new Set(scene.moves.map((gesture) => gesture.path[0]).filter((spot) => spot !== undefined));
  if (scene.layout === "drop") {
    for (const landing of firsts) {
      scene.spots.forEach((spot, i) => {
        if (spot.x === scene.spots[landing].x && i !== landing) alias.set(i, landing);
      });
    }
  }
  if (scene.layout === "piles") {
    const size = new Map();
    for (const spot of scene.spots) size.set(spot.x, (size.get(spot.x) ?? 0) + 1);
    for (const known of firsts) {
      const { x, y } = scene.spots[known];
      scene.spots.forEach((spot, i) => {
        if (spot.x !== x && spot.y === y && size.get(spot.x) === size.get(x)) alias.set(i, known);
      });
    }
  }
  return alias;
}

/** The moves that begin with a path: those complete, and the rest by the spot that comes next. */
export function ahead(scene, path) {
  const next = new Map();
  const complete = [];
  for (const gesture of scene.moves) {
    if (!gesture.path.length || gesture.path.length < path.length) continue;
    if (!path.every((spot, i) => gesture.path[i] === spot)) continue;
    if (gesture.path.length === path.length) {
      complete.push(gesture);
      continue;
    }
    const spot = gesture.path[path.length];
    next.set(spot, [...(next.get(spot) ?? []), gesture]);
  }
  return { next, complete };
}

/** Moves without a place on the board: rolls, holding, passing. */
export function buttons(scene) {
  return scene.moves.filter((gesture) => !gesture.path.length);
}

/** The spots that each move of a line points at, as far as names and falling stones tell. */
export function trail(scene, line) {
  const byName = new Map(scene.spots.map((spot, i) => [spot.name, i]));
  if (scene.layout === "drop") {
    const full = new Set(scene.spots.flatMap((spot, i) => (spot.holder ? [i] : [])));
    const columns = Map.groupBy(scene.spots.keys(), (i) => scene.spots[i].x);
    return line.map((word) => {
      const cells = (columns.get(Number(word) - 1) ?? []).sort((a, b) => scene.spots[b].y - scene.spots[a].y);
      let landing;
      for (const cell of cells) {
        if (full.has(cell)) break;
        landing = cell;
      }
      if (landing === undefined) return [];
      full.add(landing);
      return [landing];
    });
  }
  if (scene.layout === "piles" || scene.layout === "text") return line.map(() => []);
  return line.map((word) => {
    const path = scene.moves.find((gesture) => gesture.move === word)?.path;
    return path ?? [...word.matchAll(/[a-z]{1,3}\d+/g)].flatMap(([name]) => byName.get(name) ?? []);
  });
}

/** What the players are called. */
export function names(scene) {
  return scene.layout === "chess" ? { first: "White", second: "Black" } : { first: "First", second: "Second" };
}

const MEN = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };

/** What lies on a spot, in words. */
export function content(scene, spot) {
  if (!spot.holder) return "empty";
  if (spot.holder === "nobody") return scene.layout === "piles" ? "match" : "obstacle";
  const owner = names(scene)[spot.holder].toLowerCase();
  if (scene.layout === "chess") return `${owner} ${MEN[spot.label] ?? "man"}`;
  return spot.label ? `${owner} ${spot.label}` : owner;
}

/** The spots of the move that led here, as far as its text tells. */
export function lastSpots(scene, word) {
  if (!word) return [];
  if (scene.layout === "drop") {
    const column = scene.spots.flatMap((spot, i) => (spot.x === Number(word) - 1 && spot.holder && spot.holder !== "nobody" ? [i] : []));
    return column.sort((a, b) => scene.spots[b].y - scene.spots[a].y).slice(0, 1);
  }
  return trail({ ...scene, moves: [] }, [word])[0] ?? [];
}
