import { describe, expect, it } from 'vitest';
import { chooseColumns, pickUsualColumns, toggleColumn } from './chosen-columns.ts';

const ALL = ['name', 'status', 'php', 'license'].map((id) => ({ id, label: id, cell: () => null }));
const USUAL = ['name', 'status', 'php'];

describe('the chosen columns', () => {
  it('always have the name, in the order of the table, each with a width', () => {
    const chosen = chooseColumns(ALL, 'license,status');
    expect(chosen?.columns.map(({ id }) => id)).toEqual(['name', 'status', 'license']);
    expect(chosen?.widths.tracks.match(/minmax/g)).toHaveLength(3);
  });

  it('need more width the more they are', () => {
    const few = chooseColumns(ALL, 'status')?.widths.minPixels ?? 0;
    const many = chooseColumns(ALL, 'status,php,license')?.widths.minPixels ?? 0;
    expect(many).toBeGreaterThan(few + 100);
  });

  it('are none without a known word', () => {
    expect([chooseColumns(ALL, undefined), chooseColumns(ALL, 'nothing')]).toEqual([null, null]);
  });

  it('change with a click, and leave the URL with the usual ones', () => {
    expect(toggleColumn(USUAL, 'license', USUAL)).toBe('name,status,php,license');
    expect(toggleColumn(USUAL, 'php', USUAL)).toBe('name,status');
    expect(toggleColumn(['name', 'status'], 'php', USUAL)).toBeUndefined();
  });
});

describe('the usual columns', () => {
  const columns = ['name', 'status', 'php', 'plugin', 'uptime', 'certificate', 'client'].map(
    (id) => ({ id, label: id, cell: () => null }),
  );
  const usual = (pixels: number, hasClients: boolean) =>
    pickUsualColumns(columns, pixels, hasClients).map(({ id }) => id);

  it.each([
    [1600, ['name', 'status', 'php', 'plugin', 'uptime', 'certificate', 'client']],
    [1400, ['name', 'status', 'php', 'uptime', 'certificate', 'client']],
    [1200, ['name', 'status', 'php', 'client']],
    [1024, ['name', 'status', 'php']],
    [0, ['name', 'status']],
  ])('fit in a window of %s pixels', (pixels, expected) => {
    expect(usual(pixels, true)).toEqual(expected);
  });

  it('have no clients in a panel without clients', () => {
    expect(usual(1600, false)).not.toContain('client');
  });
});
