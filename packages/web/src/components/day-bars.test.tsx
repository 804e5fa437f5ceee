import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { DayBars } from './day-bars.tsx';

test('each bar has the height of its value, and the title of its day', () => {
  const { container } = render(
    <DayBars
      heightPx={96}
      zero={40}
      days={[
        {
          day: '2026-11-18',
          title: 'Nov 18: 3 succeeded, 1 failed',
          parts: [
            { from: 40, to: 100, color: 'good' },
            { from: 20, to: 40, color: 'bad' },
          ],
        },
        { day: '2026-11-19', title: 'Nov 19: no updates', parts: [] },
      ]}
    />,
  );
  const [first, second] = container.querySelectorAll('g');
  expect(first?.querySelector('title')?.textContent).toBe('Nov 18: 3 succeeded, 1 failed');
  const read = (color: string) => {
    const bar = first?.querySelector(`[data-color="${color}"]`);
    return [bar?.getAttribute('y'), bar?.getAttribute('height')];
  };
  // SVG counts from the top.
  expect([read('good'), read('bad')]).toEqual([
    ['0', '60'],
    ['60', '20'],
  ]);
  expect(container.querySelector('line')?.getAttribute('y1')).toBe('60');
  expect(second?.querySelectorAll('[data-color]')).toHaveLength(0);
});

test('two bars of a day are beside each other', () => {
  const { container } = render(
    <DayBars
      heightPx={96}
      zero={null}
      days={[
        {
          day: '2026-11-18',
          title: '',
          parts: [
            { from: 0, to: 50, color: 'bad', side: 'left' },
            { from: 0, to: 80, color: 'before', side: 'right' },
          ],
        },
      ]}
    />,
  );
  const [left, right] = [...container.querySelectorAll('[data-color]')].map((bar) => ({
    x: Number(bar.getAttribute('x')),
    width: Number(bar.getAttribute('width')),
  }));
  expect(right?.x).toBe((left?.x ?? 0) + (left?.width ?? 0));
  expect(container.querySelector('line')).toBeNull();
});
