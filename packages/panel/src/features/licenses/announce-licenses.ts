import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Trx } from '../../platform/database/handles.ts';
import type { NotificationOutbox } from '../notifications/index.ts';
import type { LicenseRecord } from './licenses.repository.ts';

/** How many days before the expiry of a license the panel announces that it ends. */
const NOTICE_DAYS = [30, 7];
const LICENSES_PER_TRANSACTION = 500;

/** Announces a reached limit at most once a day: a site that disconnects and connects again reaches it each time. */
export async function announceReachedLimit(
  trx: Trx,
  { id, name, key_last_six, site_limit }: LicenseRecord,
  now: Date,
  outbox: Pick<NotificationOutbox, 'emit'>,
): Promise<void> {
  await outbox.emit(trx, {
    type: 'license.limit_reached',
    key: `license.limit_reached ${id} ${site_limit} ${now.toISOString().slice(0, 10)}`,
    data: { license_id: id, license_name: name ?? `…${key_last_six}`, site_limit: site_limit ?? 0 },
  });
}

/**
 * Announces active licenses 30 and 7 days before they expire, once each. A trial of 14 days is announced only at 7 days,
 * not at its creation. Several processes may do this at the same time.
 */
export async function announceEndingLicenses(deps: {
  db: Database;
  clock: Clock;
  notificationOutbox: Pick<NotificationOutbox, 'emit' | 'listAnnounced'>;
}): Promise<void> {
  const { db, clock, notificationOutbox } = deps;
  for (const days of NOTICE_DAYS) {
    const shorter = NOTICE_DAYS.filter((each) => each < days);
    const moreThanDays = Math.max(0, ...shorter);
    for (let afterId: number | undefined = 0; afterId !== undefined; ) {
      const page = { days, moreThanDays, afterId, now: clock.now() };
      afterId = await db.transaction().execute(async (trx) => {
        const licenses = await findEndingLicenses(trx, page);
        const keys = licenses.map(({ key }) => key);
        const announced = await notificationOutbox.listAnnounced(trx, keys);
        const unannounced = licenses.filter(({ key }) => !announced.has(key));
        for (const { id, name, key_last_six, expires_at, key } of unannounced) {
          await notificationOutbox.emit(trx, {
            type: 'license.ending',
            key,
            data: {
              license_id: id,
              license_name: name ?? `…${key_last_six}`,
              expires_at: expires_at.toISOString(),
            },
          });
        }
        return licenses[LICENSES_PER_TRANSACTION - 1]?.id;
      });
    }
  }
}

type EndingLicense = {
  id: number;
  name: string | null;
  key_last_six: string;
  expires_at: Date;
  key: string;
};

/** Finds licenses that expire in more than `moreThanDays` and at most `days` days, with the key of their notice. */
async function findEndingLicenses(
  trx: Trx,
  page: { days: number; moreThanDays: number; afterId: number; now: Date },
): Promise<EndingLicense[]> {
  const { days, moreThanDays, afterId, now } = page;
  const { rows } = await sql<EndingLicense>`
    SELECT id, name, key_last_six, expires_at,
      concat_ws(' ', 'license.ending', id, extract(epoch FROM expires_at)::bigint, ${days}::int) AS key
    FROM licenses
    WHERE status = 'active' AND id > ${afterId}
      AND expires_at <= ${now}::timestamptz + make_interval(days => ${days})
      AND expires_at > ${now}::timestamptz + make_interval(days => ${moreThanDays})
      AND created_at <= expires_at - make_interval(days => ${days})
    ORDER BY id LIMIT ${LICENSES_PER_TRANSACTION}`.execute(trx);
  return rows;
}
