import {
  CALL_LOG_START,
  type CallLogEntry,
  CallLogReport,
  type SiteAlarm,
} from '@steward/contract';
import { Compile } from 'typebox/compile';
import { AppError } from '../../platform/app-error.ts';
import type { AuditOrigin } from '../../platform/audit-origin.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { CallNonces } from '../../site-client/call-nonces.ts';
import type { AuditEntry, AuditService, RepeatedEvents } from '../audit/index.ts';
import { type CurrentUser, isVisibleTo } from '../site-access/index.ts';
import { lockCallLog, writeAcknowledgedEntry, writeAlarm } from './call-log.repository.ts';
import { lockSites } from './tags.repository.ts';
import { type AcknowledgedEntry, verifyCallLog } from './verify-call-log.ts';

/**
 * A site logs the calls it executes and reports the log. The panel raises an alarm if the log contains a foreign call,
 * or if the log was changed.
 */
export type CallLogService = {
  /** Called when the site gets a new key. */
  startNewLog(trx: Trx, siteId: number, capabilities: readonly string[]): Promise<void>;
  /**
   * Verifies the call log of a report. Returns the sequence number of the last acknowledged entry; null if there is
   * none.
   */
  receive(
    trx: Trx,
    site: ReportingSite,
    report: unknown,
    origin: AuditOrigin,
  ): Promise<number | null>;
  dismissAlarm(user: CurrentUser, siteId: number, origin: AuditOrigin): Promise<void>;
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
  repeatedEvents: Pick<RepeatedEvents, 'record'>;
  nonces: Pick<CallNonces, 'isOwnCall'>;
};

/** Limits the size of an audit record. The call log on the site can list further calls. */
const MAX_CALLS_IN_RECORD = 10;
/** A hostile site can report a foreign call with each report. The alarm itself has no limit. */
const ALARM_RECORDS_PER_DAY = 50;

const callLogReport = Compile(CallLogReport);

export function createCallLogService(deps: Dependencies): CallLogService {
  const { db, clock, audit, repeatedEvents, nonces } = deps;

  const recordAlarm = (trx: Trx, origin: AuditOrigin, siteId: number, context: AlarmContext) =>
    repeatedEvents.record(trx, origin, buildAlarmEntry(siteId, context), {
      recordsPerDay: ALARM_RECORDS_PER_DAY,
      kind: { kind: context.kind },
    });

  return {
    async startNewLog(trx, siteId, capabilities) {
      const start: AcknowledgedEntry = { sequence: 0, hash: CALL_LOG_START, at: clock.now() };
      await writeAcknowledgedEntry(trx, siteId, capabilities.includes('call_log') ? start : null);
    },

    async receive(trx, site, body, origin) {
      const { siteId } = site;
      const { acknowledged: previous, alarm } = await lockCallLog(trx, siteId);
      const report = callLogReport.Check(body) ? body : null;
      const now = clock.now();
      const verdict = verifyCallLog(previous, report, {
        isExpectedCall: (entry) => isExpectedCall(entry, site),
        now,
      });
      const { acknowledged, foreignCalls, isChanged } = verdict;
      if (acknowledged && acknowledged.hash !== previous?.hash) {
        await writeAcknowledgedEntry(trx, siteId, { ...acknowledged, at: now });
      }
      const [call] = foreignCalls;
      // Raise this alarm once: a site with a broken log sends it again with every report.
      if (isChanged && alarm === null) {
        await recordAlarm(trx, origin, siteId, { kind: 'log_changed' });
        const newAlarm = { kind: 'log_changed', at: now, route: null, calledAt: null } as const;
        await writeAlarm(trx, siteId, newAlarm);
      }
      if (call) {
        const newAlarm = { kind: 'foreign_call', at: now, route: call.route } as const;
        await writeAlarm(trx, siteId, { ...newAlarm, calledAt: new Date(call.timestamp * 1000) });
        const calls = foreignCalls.slice(0, MAX_CALLS_IN_RECORD).map(toLoggedCall);
        const context = { kind: 'foreign_call', count: foreignCalls.length, calls } as const;
        await recordAlarm(trx, origin, siteId, context);
      }
      return acknowledged?.sequence ?? null;
    },

    dismissAlarm: (user, siteId, origin) =>
      db.transaction().execute(async (trx) => {
        const [lockedId] = await lockSites(trx, isVisibleTo(user, 's'), [siteId]);
        if (lockedId === undefined) throw new AppError('site_not_found');
        const { alarm: kind } = await lockCallLog(trx, siteId);
        if (kind === null) return;
        await writeAlarm(trx, siteId, null);
        const record = { ...buildAlarmEntry(siteId, { kind }), action: 'dismiss_alarm' } as const;
        await audit.record(trx, origin, record);
      }),
  };

  /** True if the panel made this call, or if the call is unsigned and the site accepts unsigned calls. */
  function isExpectedCall(entry: CallLogEntry, site: ReportingSite): boolean {
    const { route, timestamp, nonce, body_sha256: bodySha256 } = entry;
    if (nonce === null) return site.acceptsUnsignedCalls;
    const { canonicalUrl: siteUrl } = site;
    return nonces.isOwnCall({ method: 'POST', route, siteUrl, timestamp, nonce, bodySha256 });
  }
}

function toLoggedCall({ route, timestamp, nonce }: CallLogEntry) {
  return { route, at: new Date(timestamp * 1000).toISOString(), signed: nonce !== null };
}

type AlarmContext = { kind: SiteAlarm; count?: number; calls?: ReturnType<typeof toLoggedCall>[] };

function buildAlarmEntry(siteId: number, context: AlarmContext): AuditEntry<'site'> {
  return { action: 'raise_alarm', entityType: 'site', entityId: siteId, siteId, context };
}
