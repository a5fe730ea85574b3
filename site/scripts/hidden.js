// Training pauses while nobody sees the page and goes on when someone does, however quickly one follows the other.

/**
 * pauseWhileHidden pauses a session when its page is hidden, unless stays() says that it trains on; then kept() is
 * called instead. A visitor who paused, opened another run or went to another step meanwhile is not overruled.
 */
export function pauseWhileHidden(session, { stays = () => false, kept = () => {}, trouble }) {
  let pausing = null; // the pause that hiding brought, until training went on
  session.addEventListener("opened", () => { pausing = null; });
  const change = async () => {
    if (document.hidden) {
      if (session.running && !session.seeking && !stays()) await (pausing = session.pause());
      else await kept();
      return;
    }
    const mine = pausing;
    if (!mine) return;
    await mine.catch(() => {}); // was told when it failed
    if (document.hidden || pausing !== mine) return;
    pausing = null;
    if (session.state === "paused") await session.start();
  };
  document.addEventListener("visibilitychange", () => change().catch(trouble));
}
