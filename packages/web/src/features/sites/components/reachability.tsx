import { Text, Title } from '@mantine/core';
import {
  type ReachabilityDay,
  reachabilityKnowledge,
  reachabilityOfDay,
  type SiteReachability,
} from '@steward/contract';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { CertificateExpiry } from '../../../components/certificate-expiry.tsx';
import type { DayBar } from '../../../components/day-bars.tsx';
import { DayChart } from '../../../components/day-chart.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { SkeletonRows } from '../../../components/skeleton-rows.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { Timestamp } from '../../../components/time.tsx';
import { formatNumber, formatUtcDay } from '../../../lib/format.ts';
import { reachabilityMessages as messages } from '../../../messages/reachability.ts';
import { heightPercentOf } from '../reachability-cell.ts';
import { reachabilityQuery } from '../site-api.ts';
import styles from './reachability.module.css';
import { ResponseChart } from './response-chart.tsx';

/** Whether the site is up, its certificate, and two charts of the last 30 days. */
export function Reachability({ siteId }: { siteId: number }) {
  const { data, error, refetch } = useQuery(reachabilityQuery(siteId));
  const titleId = useId();
  return (
    <section className={styles.section} aria-labelledby={titleId}>
      <Title order={2} id={titleId}>
        {messages.title}
      </Title>
      <Text c="dimmed" size="sm" mb="xs">
        {messages.note}
      </Text>
      {error && <ErrorNote error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={2} />}
      {data && <Found reachability={data.reachability} />}
    </section>
  );
}

function Found({ reachability }: { reachability: SiteReachability }) {
  const { days, checked_at, certificate_expires_at } = reachability;
  const hasDays = days.some(({ checks, seconds_down }) => checks + seconds_down > 0);
  return (
    <>
      <p className={styles.state}>
        <State reachability={reachability} />
        {certificate_expires_at !== null && (
          <CertificateExpiry expiresAt={certificate_expires_at} hasText />
        )}
      </p>
      {checked_at === null && !hasDays ? (
        <Text size="sm">{messages.neverChecked}</Text>
      ) : (
        <>
          <Strip days={days} />
          <ResponseChart days={days} />
        </>
      )}
    </>
  );
}

function State({
  reachability: { state, since, reason, signal, checked_at },
}: {
  reachability: SiteReachability;
}) {
  const knowledge = reachabilityKnowledge({ state, checked_at }, new Date());
  if (knowledge !== 'known') {
    const kind = knowledge === 'unconfirmed' ? 'warn' : 'empty';
    return <StatusLabel kind={kind}>{messages.unknown[knowledge]}</StatusLabel>;
  }
  const isDown = state === 'down';
  return (
    <>
      <StatusLabel kind={isDown ? 'badHollow' : 'good'}>
        {isDown ? messages.down : messages.up}
        {since !== null && (
          <>
            {' '}
            {messages.since} <Timestamp at={since} />
          </>
        )}
      </StatusLabel>
      {isDown && (
        <span>
          {reason} {signal === 'application' && messages.onlyApplication}
        </span>
      )}
    </>
  );
}

function toBar(day: ReachabilityDay): DayBar {
  const isKnown = reachabilityOfDay(day) !== 'unknown';
  return {
    day: day.day,
    title: messages.day(formatUtcDay(day.day), day),
    parts: [
      { from: 0, to: 100, color: isKnown ? 'good' : 'line' },
      ...(day.seconds_down > 0
        ? [{ from: 0, to: heightPercentOf(day), color: 'bad' as const }]
        : []),
    ],
  };
}

/** One bar per day. The height of the dark part shows how long the site was down, also without colours. */
function Strip({ days }: { days: ReachabilityDay[] }) {
  const total = {
    checks: days.reduce((sum, day) => sum + day.checks, 0),
    failed: days.reduce((sum, day) => sum + day.failed, 0),
    seconds_down: days.reduce((sum, day) => sum + day.seconds_down, 0),
  };
  return (
    <div className={styles.strip}>
      <DayChart
        days={days.map(toBar)}
        heightPx={28}
        zero={null}
        table={{
          caption: messages.tableCaption,
          columns: messages.columns,
          rows: days
            .filter((day) => day.seconds_down > 0)
            .map(({ day, seconds_down, checks, failed }) => [
              formatUtcDay(day),
              messages.downFor(seconds_down),
              formatNumber(checks),
              formatNumber(failed),
            ]),
        }}
      />
      <Text size="sm">{messages.total(total)}</Text>
    </div>
  );
}
