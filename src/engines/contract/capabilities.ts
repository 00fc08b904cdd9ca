/**
 * Properties of an engine beyond the types of the contract. A default is the usual behaviour of another database's
 * server; an engine states where it differs. Callers check these, and never which engine it is.
 */
export interface EngineCapabilities {
  /**
   * Whether an append that resolved survives the loss of power at that moment. True by default: senders forget what was
   * acknowledged, and drains and audit count on it. An engine that acknowledges from memory says false, and the service
   * says so at its start.
   */
  readonly isAppendDurable: boolean;
  /**
   * Whether an id is stored once within a source's tenant, however often, in whatever blocks and over whatever restarts
   * it is sent. True by default: senders repeat what was not answered. Where it is false, repeats may be counted twice.
   */
  readonly areIdsUnique: boolean;
  /**
   * Milliseconds within which a query ends that nobody waits for any more. 1000 by default: a server is stopped by
   * another request. What bounds the time of a query in tests, and of a shutdown, adds this.
   */
  readonly cancelLatencyMs: number;
  /**
   * Whether queries that begin after an append was acknowledged see its events, and `describe` their new fields. True
   * by default: a sender that reads back what it sent must find it. An engine that looks for new fields now and then,
   * or reads from replicas, says false; tails and drains look again then, later.
   */
  readonly isSchemaSynchronous: boolean;
  /**
   * Whether the events are files of a folder on this machine. False by default: a server has its own. Where it is true,
   * the service has a folder that it locks, doctor looks into it while no service runs, and backup, restore and the
   * check of every block work on files.
   */
  readonly hasLocalFiles: boolean;
}

export const defaultCapabilities: EngineCapabilities = {
  isAppendDurable: true,
  areIdsUnique: true,
  cancelLatencyMs: 1000,
  isSchemaSynchronous: true,
  hasLocalFiles: false,
};

/** The promises that an engine does not make, in sentences for its operators; empty for most. */
export function describeWeakPromises(capabilities: EngineCapabilities): readonly string[] {
  const { isAppendDurable, areIdsUnique, isSchemaSynchronous } = capabilities;
  return [
    ...(isAppendDurable ? [] : ["Events are acknowledged before they are durable: a loss of power may lose some"]),
    ...(areIdsUnique ? [] : ["An event that is sent again may be stored twice"]),
    ...(isSchemaSynchronous ? [] : ["Events and their new fields may be seen some time after they were acknowledged"]),
  ];
}
