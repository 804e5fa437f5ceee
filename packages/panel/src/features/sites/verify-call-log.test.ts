import { hash } from 'node:crypto';
import {
  CALL_LOG_REPORT_MAX,
  CALL_LOG_START,
  type CallLogEntry,
  type CallLogReport,
  loggedCallText,
} from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { verifyCallLog } from './verify-call-log.ts';

const OWN = 'a'.repeat(32);
const FOREIGN = 'b'.repeat(32);
const START = { sequence: 0, hash: CALL_LOG_START };
const NOW = new Date('2026-06-01T12:00:00Z');
const MINUTE = 60_000;

/** Appends calls with these nonces to a log. */
function logOf(nonces: (string | null)[], before: CallLogEntry[] = []): CallLogEntry[] {
  const log = [...before];
  for (const nonce of nonces) {
    const { sequence, hash: previous } = log.at(-1) ?? START;
    const route = '/service/v1/remote/update';
    const call = { sequence: sequence + 1, timestamp: 1, route, body_sha256: OWN + OWN, nonce };
    log.push({ ...call, hash: hash('sha256', loggedCallText(previous, call), 'hex') });
  }
  return log;
}
const own = (count: number, before: CallLogEntry[] = []) => logOf(Array(count).fill(OWN), before);
const positionOf = ({ sequence, hash }: CallLogEntry | typeof START) => ({ sequence, hash });
const headOf = (log: CallLogEntry[]) => positionOf(log.at(-1) ?? START);

/** The report of a site that has already reported up to `after`. */
function reportOf(log: CallLogEntry[], after: number): CallLogReport {
  const entries = log.filter(({ sequence }) => sequence > after).slice(0, CALL_LOG_REPORT_MAX);
  return { head: headOf(log), after, entries };
}

function verify(
  acknowledgedLog: CallLogEntry[] | null,
  report: CallLogReport | null,
  minutesLater = 60,
) {
  const at = new Date(NOW.getTime() - minutesLater * MINUTE);
  const isExpectedCall = ({ nonce }: CallLogEntry) => nonce === OWN;
  const { acknowledged, foreignCalls, isChanged } = verifyCallLog(
    acknowledgedLog && { ...headOf(acknowledgedLog), at },
    report,
    { isExpectedCall, now: NOW },
  );
  const sequences = foreignCalls.map(({ sequence }) => sequence);
  return { acknowledged: acknowledged && positionOf(acknowledged), sequences, isChanged };
}
const acceptedVerdict = (log: CallLogEntry[]) => ({
  acknowledged: headOf(log),
  sequences: [],
  isChanged: false,
});

const three = own(3);
const five = own(2, three);

describe('verifyCallLog', () => {
  it('accepts a log that continues with calls of the panel, or is empty', () => {
    expect(verify([], reportOf([], 0))).toEqual(acceptedVerdict([]));
    expect(verify([], reportOf(three, 0))).toEqual(acceptedVerdict(three));
    expect(verify(three, reportOf(three, 3))).toEqual(acceptedVerdict(three));
    expect(verify(three, reportOf(five, 3))).toEqual(acceptedVerdict(five));
  });

  it('accepts the first report without verification', () => {
    expect(verify(null, reportOf(logOf([FOREIGN]), 0))).toEqual(acceptedVerdict(logOf([FOREIGN])));
    expect(verify(null, null)).toEqual({ acknowledged: null, sequences: [], isChanged: false });
  });

  it('finds foreign calls, signed or unsigned', () => {
    const log = logOf([FOREIGN, OWN, null], three);
    expect(verify(three, reportOf(log, 3))).toEqual({ ...acceptedVerdict(log), sequences: [4, 6] });
  });

  it('accepts a long log in several reports', () => {
    const log = own(CALL_LOG_REPORT_MAX + 1);
    const part = log.slice(0, CALL_LOG_REPORT_MAX);
    expect(verify([], reportOf(log, 0))).toEqual(acceptedVerdict(part));
    expect(verify(part, reportOf(log, CALL_LOG_REPORT_MAX))).toEqual(acceptedVerdict(log));
  });

  it('accepts reports that start before or after the last acknowledged entry', () => {
    expect(verify(three, reportOf(five, 0))).toEqual(acceptedVerdict(five));
    expect(verify(three, reportOf(five, 4))).toEqual(acceptedVerdict(three));
    const log = own(CALL_LOG_REPORT_MAX + 1);
    expect(verify(log, reportOf(own(1, log), 0))).toEqual(acceptedVerdict(log));
  });

  it('detects a log that was rolled back, unless the report is only late', () => {
    expect(verify(five, reportOf(three, 3), 1)).toEqual(acceptedVerdict(five));
    expect(verify(five, reportOf(three, 3), 3)).toEqual({
      ...acceptedVerdict(three),
      isChanged: true,
    });
    expect(verify(five, reportOf([], 0), 3)).toEqual({ ...acceptedVerdict([]), isChanged: true });
  });

  it.each<[string, CallLogReport | null]>([
    ['is invalid', null],
    ['has another last acknowledged call', reportOf(logOf([OWN, FOREIGN], own(1)), 3)],
    ['continues after another call', reportOf(own(2, logOf([FOREIGN], own(2))), 3)],
    ['lacks a call', { ...reportOf(five, 3), entries: five.slice(4) }],
    ['lacks the last calls', { ...reportOf(five, 3), entries: five.slice(3, 4) }],
    ['lacks all new calls', { ...reportOf(five, 3), entries: [] }],
    ['has another head', { ...reportOf(five, 3), head: { sequence: 5, hash: CALL_LOG_START } }],
    [
      'has a call with another body',
      {
        ...reportOf(five, 3),
        entries: five.slice(3).map((entry) => ({ ...entry, body_sha256: FOREIGN + FOREIGN })),
      },
    ],
  ])('reports a change when the log %s', (_, report) => {
    expect(verify(three, report)).toMatchObject({ isChanged: true });
  });

  it('finds foreign calls in a changed log too', () => {
    const log = logOf([OWN, FOREIGN], logOf([FOREIGN], own(2)));
    const expected = { acknowledged: headOf(log), sequences: [5], isChanged: true };
    expect(verify(three, reportOf(log, 3))).toEqual(expected);
  });
});
