import type { UpdateItem } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { runOf, summaryOf, task } from '../../test/panel-fixtures.ts';
import {
  countOutcomes,
  countUnfinished,
  isRetriable,
  outcomeOf,
  runState,
  runTitle,
  splitRetrying,
  summarizeOutcomes,
} from './run-outcomes.ts';
import { countDone, type Run } from './runs-api.ts';

describe('isRetriable', () => {
  const at = '2026-06-01T00:00:00Z';
  const ended = { started_at: at, finished_at: at, code: null, is_retried: false };

  it.each(['failed', 'partial', 'unknown', 'cancelled'] as const)(
    'is true for a task that is %s',
    (status) => {
      expect(isRetriable({ ...ended, status })).toBe(true);
    },
  );

  it('is true for a site that was not active', () => {
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_active' })).toBe(true);
  });

  it('is false for tasks that succeeded, were not found or are being verified', () => {
    expect(isRetriable({ ...ended, status: 'succeeded' })).toBe(false);
    expect(isRetriable({ ...ended, status: 'refused', code: 'site_not_found' })).toBe(false);
    expect(isRetriable({ ...ended, status: 'unknown', finished_at: null })).toBe(false);
  });

  it('is false for a task that has been retried', () => {
    expect(isRetriable({ ...ended, status: 'failed', is_retried: true })).toBe(false);
  });
});

describe('runTitle', () => {
  const on = (sites: number, overrides: Partial<Run> = {}) =>
    runTitle(runOf([task()], { total: sites, ...(sites > 1 && { site: null }), ...overrides }));
  const WOO = { type: 'plugin', slug: 'woocommerce/woocommerce.php' } as const;
  const FORM = { type: 'plugin', slug: 'form/form.php', version: '1.5' } as const;
  const item_names = [{ ...WOO, name: 'WooCommerce' }];
  const update = (...items: UpdateItem[]) => ({
    request: { items, items_total: items.length },
    item_names,
  });

  it('names the site of a run on one site', () => {
    expect(on(1)).toBe('Update of shop.example.com');
    expect(on(1, { kind: 'sync' })).toBe('Sync of shop.example.com');
    expect(on(1, { site: null })).toBe('Update of 1 site');
    expect(on(38)).toBe('Update of 38 sites');
  });

  it('names up to two items', () => {
    const woo = { ...WOO, version: '8.1' };
    expect(on(38, update(woo))).toBe('Update WooCommerce 8.1 on 38 sites');
    expect(on(1, update(woo, FORM))).toBe(
      'Update WooCommerce 8.1 and form/form.php 1.5 on shop.example.com',
    );
  });

  it('counts more than two items', () => {
    const items = ['a', 'b', 'c', 'd', 'e'].map((slug) => ({ type: 'theme' as const, slug }));
    expect(on(38, update(...items))).toBe('Update 5 items on 38 sites');
    expect(on(38, { request: { items, items_total: 120 } })).toBe('Update 120 items on 38 sites');
  });

  it('counts the same item with two versions once', () => {
    const versions = ['8.1', '8.2'].map((version) => ({ ...WOO, version }));
    expect(on(38, update(...versions))).toBe('Update WooCommerce on 38 sites');
  });

  it('names an installation, a restore and an update of the Steward plugin', () => {
    const woo = { ...WOO, version: '8.1' };
    expect(on(38, { ...update(woo), kind: 'install' })).toBe('Install WooCommerce 8.1 on 38 sites');
    expect(on(1, { ...update(woo), kind: 'restore' })).toBe(
      'Restore WooCommerce 8.1 on shop.example.com',
    );
    expect(on(38, { kind: 'self_update' })).toBe('Update the Steward plugin on 38 sites');
  });

  it('names the plugin of an action', () => {
    const kind = 'plugin_action' as const;
    const request = { action: 'deactivate', plugin: WOO.slug };
    expect(on(38, { kind, request, item_names })).toBe('Deactivate WooCommerce on 38 sites');
    expect(on(1, { kind, request })).toBe(
      'Deactivate woocommerce/woocommerce.php on shop.example.com',
    );
  });
});

describe('countOutcomes', () => {
  it('counts a lost answer as verifying only until its result stays unknown', () => {
    const lost = { status: 'unknown' as const, http_status: null };
    const tasks = [task({ ...lost, finished_at: null }), task(lost), task()];
    const run = summaryOf(runOf(tasks, { status: 'running', finished_at: null }));
    const counts = countOutcomes(run);
    expect(counts).toEqual({ succeeded: 1, unknown: 1, verifying: 1 });
    expect([countUnfinished(counts), countDone(run)]).toEqual([1, 2]);
  });
});

it('counts a queued site that was called before as one that is tried again', () => {
  const queued = { status: 'queued' as const, finished_at: null, http_status: null };
  const tasks = [task(queued), task({ ...queued, started_at: null }), task()];
  const counts = splitRetrying({ queued: 2, succeeded: 1 }, tasks);
  expect(counts).toEqual({ queued: 1, retrying: 1, succeeded: 1 });
  expect([countUnfinished(counts), ...tasks.map(outcomeOf)]).toEqual([
    ...[2, 'retrying', 'queued', 'succeeded'],
  ]);
});

describe('the words for a state', () => {
  it('are the same for a task and for its run', () => {
    const partly = summaryOf(runOf([task({ status: 'partial' })]));
    const counts = countOutcomes(partly);
    expect(runState(partly, counts).word).toBe('Partly failed');
    expect(summarizeOutcomes(counts)).toBe('1 partly failed');
  });
});
