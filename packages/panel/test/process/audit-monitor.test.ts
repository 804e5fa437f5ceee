import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { registerSecret, testLog, testLogger } from '@steward/testkit/logs.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startAuditMonitoring } from '../../src/features/audit/audit-monitoring.ts';
import { createHeadWebhook } from '../../src/features/audit/head-webhook.ts';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

async function createSealedLog(records = 10) {
  const database = await createAuditedDatabase();
  const panel = database.openProcess();
  await panel.head.verifyAndSeal();
  await database.recordAtOnce(records);
  await panel.chain.seal();
  return { ...database, panel };
}

const OFTEN = { check: 20, walk: 20 };

describe('the verification of the whole log', () => {
  it('reads all pages and finds nothing', async () => {
    const { panel } = await createSealedLog(1500);
    await panel.monitor.walk();
    expect(panel.monitor.getWarning()).toBeNull();
  });

  it.each([
    ['an old changed record', `UPDATE audit_log SET actor = '7' WHERE id = 4`, 4],
    ['an old removed record', 'DELETE FROM audit_log WHERE id = 1200', 1200],
    [
      'an inserted record',
      `INSERT INTO audit_log (id, at, actor, action, entity_type, entity_id, context)
       OVERRIDING SYSTEM VALUE SELECT -3, at, actor, action, entity_type, entity_id, context
       FROM audit_log WHERE id = 4`,
      -3,
    ],
    ['a mark without a record', 'INSERT INTO audit_unsealed VALUES (9000, NULL)', 9000],
  ])('finds %s', async (_, statement, recordId) => {
    const { panel, tamper } = await createSealedLog(1500);
    await tamper(statement);
    await panel.monitor.walk();
    expect(panel.monitor.getWarning()).toMatchObject({ severity: 'alarm', record_id: recordId });
  });
});

describe('the audit monitoring of a running panel', () => {
  it('detects a truncated log and its acceptance', async () => {
    const { panel, cutAfter, openProcess } = await createSealedLog();
    const { monitor } = panel;
    const log = testLogger();
    const monitoring = startAuditMonitoring({
      monitor,
      webhook: null,
      addPartitions: async () => {},
      log,
      verifiesWholeLog: true,
      intervalsMs: OFTEN,
    });
    onTestFinished(() => monitoring.stop());
    await cutAfter(8);
    await expect
      .poll(() => monitor.getWarning())
      .toMatchObject({ problem: 'records_missing', record_id: 9 });
    await openProcess().accept('A test.');
    await expect.poll(() => monitor.getWarning()).toBeNull();
  });

  it('stops immediately during a long verification', async () => {
    const { panel } = await createSealedLog(1500);
    const log = testLogger();
    const options = { monitor: panel.monitor, webhook: null, log, verifiesWholeLog: true };
    await startAuditMonitoring({ ...options, addPartitions: async () => {} }).stop();
    expect(panel.monitor.getWarning()).toBeNull();
  });
});

describe('AUDIT_HEAD_WEBHOOK', () => {
  async function startReceiver() {
    const received: unknown[] = [];
    const receiver = { status: 204, received, url: '' };
    const server = createServer(async (request, response) => {
      received.push(await json(request));
      response.writeHead(receiver.status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads?token=`;
    return receiver;
  }

  it('receives each head once, and again after a failure', async () => {
    const { panel, record } = await createSealedLog();
    const receiver = await startReceiver();
    const token = 'a-token-that-is-in-no-log';
    registerSecret(token);
    const webhook = createHeadWebhook({
      url: receiver.url + token,
      panel: 'https://panel.example.com',
      getSealedHead: panel.head.getSealedHead,
      log: testLogger(),
    });
    await webhook.send();
    await webhook.send();
    const { hash, sealed_at } = panel.head.getSealedHead() ?? {};
    expect(receiver.received).toEqual([
      {
        panel: 'https://panel.example.com',
        records: 10,
        record_id: 10,
        hash,
        sealed_at,
        epoch: 0,
      },
    ]);
    receiver.status = 500;
    await record(1);
    await panel.chain.seal();
    await webhook.send();
    expect(testLog()).toMatch(/HTTP status 500.*AUDIT_HEAD_WEBHOOK/);
    receiver.status = 200;
    await webhook.send();
    await webhook.send();
    expect(receiver.received).toMatchObject([{ records: 10 }, { records: 11 }, { records: 11 }]);
  });

  it('does not affect the panel if nothing listens there', async () => {
    const { panel } = await createSealedLog();
    const { getSealedHead } = panel.head;
    const url = 'http://127.0.0.1:1/';
    await createHeadWebhook({ url, panel: 'x', getSealedHead, log: testLogger() }).send();
    expect(testLog()).toContain('127.0.0.1:1');
  });
});
