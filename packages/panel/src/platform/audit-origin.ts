/** The actor of a change, and the way in which the change reached the panel. */
export type AuditOrigin = {
  /** A user's id, or `system` for sites, the command line, the worker and visitors. */
  actor: string;
  via: 'license_api' | 'command_line' | 'panel' | 'worker';
  ip?: string;
  requestId?: string;
  /** The access token with which the actor made the request. */
  token?: { id: number; name: string };
  /** The session with which the actor made the request, and whether the user confirmed their identity in it recently. */
  session?: { id: number; isConfirmed: boolean };
};

/** The origin of changes from the command line of the panel. */
export const COMMAND_LINE: AuditOrigin = { actor: 'system', via: 'command_line' };
