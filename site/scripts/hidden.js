// Training pauses while nobody sees the page and goes on when someone does, however quickly one follows the other.

/**
 * pauseWhileHidden pauses a session when its page is hidden, unless stays() says that it trains on; then kept() is
 * called instead. A visitor who paused, opened another run or went to another step meanwhile is not overruled.
 */
export function pauseWhileHidden(session, { stays = () => false, kept = () => {}, trouble }) {
  let pausing = null; // the pause that hiding brought, until training went on
  session.addEventListener("opened", () => { pausing = null; });
  /** rest pauses what trains unseen; it reports whether there was something to pause. */
  const rest = async () => {
    if (!session.running || session.seeking || stays()) return false;
    await (pausing = session.pause());
    return true;
  };
  // What was opened and began to train while the page was hidden already.
  session.addEventListener("change", () => { if (document.hidden && !pausing) rest().catch(trouble); });
  const change = async () => {
    if (document.hidden) return await rest() || kept();
    const mine = pausing;
    if (!mine) return;
    await mine.catch(() => {}); // was told when it failed
    if (document.hidden || pausing !== mine) return;
    pausing = null;
    if (["paused", "ready"].includes(session.state)) await session.start(); // ready: paused before its first step
  };
  document.addEventListener("visibilitychange", () => change().catch(trouble));
}
