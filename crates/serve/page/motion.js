// @ts-check

// Move animations: stones fall, men slide, for at most 250 ms. style.css disables them under
// prefers-reduced-motion.

/**
 * Animates the last move; `before` is the scene before it.
 * @param {Board} board
 * @param {Scene} before
 */
export function arrive(board, before) {
  const { scene, spots, metrics: m, look } = board;
  if (!spots.length || before.spots.length !== scene.spots.length) return;
  const path = look.last ?? [];
  /**
   * @param {number} i
   * @param {[number, number]} from
   */
  const move = (i, from) => {
    const stone = spots[i]?.stone;
    if (!stone) return;
    const [x, y] = m.at(scene.spots[i]);
    stone.style.setProperty("--from-x", `${from[0] - x}px`);
    stone.style.setProperty("--from-y", `${from[1] - y}px`);
    stone.classList.remove("slides", "falls", "arrives");
    requestAnimationFrame(() => stone.classList.add(scene.layout === "drop" ? "falls" : "slides"));
  };
  if (scene.layout === "drop") {
    for (const i of path) move(i, [m.at(scene.spots[i])[0], m.top - m.dy / 2]);
    return;
  }
  if (path.length > 1) {
    const steps = board.face === "race" ? path.length : 2;
    for (let i = 0; i + 1 < steps; i += 2)
      if (scene.spots[path[i + 1]].holder) move(path[i + 1], m.at(scene.spots[path[i]]));
    return;
  }
  for (const i of path) {
    const { stone } = spots[i];
    stone.classList.remove("arrives");
    requestAnimationFrame(() => stone.classList.add("arrives"));
  }
}
