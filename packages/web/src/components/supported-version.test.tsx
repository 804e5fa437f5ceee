import { render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SupportedVersion } from './supported-version.tsx';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-01T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const show = (software: 'php' | 'wordpress', version: string, hasText = false) => {
  const { container } = render(
    <SupportedVersion software={software} version={version} hasText={hasText} />,
  );
  return { text: container.textContent, icon: container.querySelector('svg') };
};

describe('SupportedVersion', () => {
  it.each([
    ['php', '7.4.33', /^7\.4\.33, no security fixes since .*2022$/],
    ['php', '8.2.30', /^8\.2\.30, security fixes end .*2026$/],
    ['wordpress', '6.8.3', /^6\.8\.3, not supported since .*2025/],
  ] as const)('marks %s %s with an icon and words', (software, version, text) => {
    const shown = show(software, version);
    expect(shown.text).toMatch(text);
    expect(shown.icon).not.toBeNull();
    screen.getByTitle(/Dates as of .*2026\.$/);
  });

  it.each([
    ['php', '8.4.1'],
    ['php', '9.0'],
    ['wordpress', '7.1.2'],
  ] as const)('does not mark %s %s', (software, version) => {
    expect(show(software, version)).toEqual({ text: version, icon: null });
  });

  it('shows the end of the support of each known version where there is room', () => {
    expect(show('php', '8.4.1', true).text).toMatch(/^8\.4\.1, security fixes until .*2028$/);
    expect(show('php', '9.0', true).text).toBe('9.0');
  });
});
