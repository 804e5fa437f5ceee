import { MantineProvider } from '@mantine/core';
import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PanelResponses } from '../../test/fake-panel.ts';
import {
  licenseSummary,
  licenses,
  NO_TAGS,
  panelSettings,
  plans,
  SERVICES,
  sites,
  users,
} from '../../test/panel-fixtures.ts';
import { findDialog, renderScreen } from '../../test/render-screen.tsx';
import { softwarePage } from '../../test/software-fixtures.ts';
import { DebouncedSearch } from './debounced-search.tsx';

type Case = {
  path: string;
  cleared: string;
  label: string;
  button: string;
  responses: PanelResponses;
};

const LICENSES: PanelResponses = {
  // An empty list without filters has no search field.
  'GET /panel/licenses': ({ query }) => (query.status ? licenses() : licenses(licenseSummary())),
  'GET /panel/plans': plans(),
};
const SITES: PanelResponses = { 'GET /panel/sites': sites([]), 'GET /panel/tags': NO_TAGS };

const CASES: Case[] = [
  {
    path: '/sites?status=updates&sort=name',
    cleared: '/sites?sort=name',
    label: 'Search sites',
    button: 'Clear filters',
    responses: SITES,
  },
  {
    path: '/sites?status=updates',
    cleared: '/sites',
    label: 'Search sites',
    button: 'Show all sites',
    responses: SITES,
  },
  {
    path: '/licenses?status=suspended',
    cleared: '/licenses',
    label: 'Search licenses',
    button: 'Clear filters',
    responses: LICENSES,
  },
  {
    path: '/software?type=theme&filter=outdated',
    cleared: '/software?type=theme',
    label: 'Search themes',
    button: 'Clear filters',
    responses: { 'GET /panel/software': softwarePage([]), 'GET /panel/tags': NO_TAGS },
  },
  {
    path: '/audit?actor=system',
    cleared: '/audit',
    label: 'Text',
    button: 'Clear filters',
    responses: {
      'GET /panel/users': users(),
      'GET /panel/audit': {
        success: true,
        records: [],
        names: [],
        next_before: null,
        complete_from: null,
      },
    },
  },
];

describe('DebouncedSearch', () => {
  it.each(CASES)('drops unsent text on $path when the user chooses $button', async (each) => {
    const { address } = renderScreen(each.path, { responses: each.responses });
    const [button] = await screen.findAllByRole('button', { name: each.button });
    fireEvent.change(screen.getByLabelText(each.label), { target: { value: 'shop' } });
    fireEvent.click(button as HTMLElement);
    await waitFor(() => expect(address()).toBe(each.cleared));
    expect(screen.queryByDisplayValue('shop')).toBeNull();
  });

  it('keeps what the user opened after typing', async () => {
    const { address } = renderScreen('/licenses?status=suspended', {
      responses: {
        ...LICENSES,
        'GET /panel/settings': panelSettings(),
        'GET /api/v1/services': SERVICES,
      },
    });
    const button = await screen.findByRole('button', { name: 'Create license' });
    fireEvent.change(screen.getByLabelText('Search licenses'), { target: { value: 'shop' } });
    fireEvent.click(button);
    await findDialog('Create license');
    await waitFor(() => expect(address()).toContain('search=shop'));
    expect(address()).toBe('/licenses?status=suspended&new=1&search=shop');
  });

  it('does not send text that was typed before the value changed', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const onChange = vi.fn();
    const show = (value: string) => (
      <MantineProvider>
        <DebouncedSearch aria-label="Search" value={value} onChange={onChange} />
      </MantineProvider>
    );
    const { rerender } = render(show('shop'));
    const field = screen.getByLabelText<HTMLInputElement>('Search');
    fireEvent.change(field, { target: { value: 'shops' } });
    rerender(show(''));
    vi.runAllTimers();
    expect(field.value).toBe('');
    expect(onChange).not.toHaveBeenCalled();
  });
});
