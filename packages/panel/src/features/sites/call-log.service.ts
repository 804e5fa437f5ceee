import {
  CALL_LOG_START,
  type CallLogEntry,
  CallLogReport,
  type SiteAlarm,
} from '@steward/contract';
import { Compile } from 'typebox/compile';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/tables.ts';
import type { Origin } from '../../platform/origin.ts';
import type { CallNonces } from '../../site-client/call-nonces.ts';
import type { AuditService } from '../audit/index.ts';
import { isVisibleTo, type Viewer } from '../site-access/index.ts';
import { lockCallLog, writeAlarm, writeCallLog } from './call-log.repository.ts';
import { lockSites } from './tags.repository.ts';
import { type Acknowledged, verifyCallLog } from './verify-call-log.ts';

/**
 * A site logs the calls it executes and reports the log. The panel raises an alarm if the log has a call that the panel
 * did not make, or if the log was changed.
 */
export type CallLogService = {
  /** Starts a new log: the site has a new key. */
  start(trx: Trx, siteId: number, capabilities: readonly string[]): Promise<void>;
  /** Returns the last sequence number that the panel has; null if it has none. */
  receive(trx: Trx, site: ReportingSite, report: unknown, origin: Origin): Promise<number | null>;
  dismissAlarm(user: Viewer, siteId: number, origin: Origin): Promise<void>;
};

export type ReportingSite = {
  siteId: number;
  canonicalUrl: string;
  acceptsUnsignedCalls: boolean;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: AuditService;
  nonces: Pick<CallNonces, 'isOwnCall'>;
};

/** The audit record lists this many foreign calls; the site keeps them all. */
const CALLS_IN_RECORD = 10;

const callLogReport = Compile(CallLogReport);

export function createCallLogService({ db, clock, audit, nonces }: Dependencies): CallLogService {
  return {
    async start(trx, siteId, capabilities) {
      const fresh: Acknowledged = { sequence: 0, hash: CALL_LOG_START, at: clock.now() };
      await writeCallLog(trx, siteId, capabilities.includes('call_log') ? fresh : null);
    },

    async receive(trx, site, sent, origin) {
      const { siteId } = site;
      const { known, alarm } = await lockCallLog(trx, siteId);
      const report = callLogReport.Check(sent) ? sent : null;
      const now = clock.now();
      const isOwnCall = (entry: CallLogEntry) => isExpected(entry, site);
      const verdict = verifyCallLog(known, report, { isOwnCall, now });
      const { acknowledged, foreign, isChanged } = verdict;
      if (acknowledged && acknowledged.hash !== known?.hash) {
        await writeCallLog(trx, siteId, { ...acknowledged, at: now });
      }
      const [call] = foreign;
      // One alarm is enough: a site sends an unreadable log with every report.
      if (isChanged && alarm === null) {
        await audit.record(trx, origin, recordOf(siteId, { kind: 'log_changed' }));
        const raised = { kind: 'log_changed', at: now, route: null, calledAt: null } as const;
        await writeAlarm(trx, siteId, raised);
      }
      if (call) {
        const raised = { kind: 'foreign_call', at: now, route: call.route } as const;
        await writeAlarm(trx, siteId, { ...raised, calledAt: new Date(call.timestamp * 1000) });
        const calls = foreign.slice(0, CALLS_IN_RECORD).map(toRecord);
        await audit.record(
          trx,
          origin,
          recordOf(siteId, { kind: 'foreign_call', count: foreign.length, calls }),
        );
      }
      return acknowledged?.sequence ?? null;
    },

    dismissAlarm: (user, siteId, origin) =>
      db.transaction().execute(async (trx) => {
        const [found] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (found === undefined) throw new AppError('site_not_found');
        const { alarm: kind } = await lockCallLog(trx, siteId);
        if (kind === null) return;
        await writeAlarm(trx, siteId, null);
        const record = { ...recordOf(siteId, { kind }), action: 'dismiss_alarm' };
        await audit.record(trx, origin, record);
      }),
  };

  /** This panel made the call, or the call is unsigned and the site accepts unsigned calls. */
  function isExpected(entry: CallLogEntry, site: ReportingSite): boolean {
    const { route, timestamp, nonce, body_sha256: bodySha256 } = entry;
    if (nonce === null) return site.acceptsUnsignedCalls;
    const { canonicalUrl: siteUrl } = site;
    return nonces.isOwnCall({ method: 'POST', route, siteUrl, timestamp, nonce, bodySha256 });
  }
}

function toRecord({ route, timestamp, nonce }: CallLogEntry) {
  return { route, at: new Date(timestamp * 1000).toISOString(), signed: nonce !== null };
}

type AlarmContext = { kind: SiteAlarm; count?: number; calls?: ReturnType<typeof toRecord>[] };

function recordOf(siteId: number, context: AlarmContext) {
  return { action: 'raise_alarm', entityType: 'site', entityId: siteId, siteId, context };
}
