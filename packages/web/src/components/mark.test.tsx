import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Mark } from './mark.tsx';

test('the icon in the browser tab has the shapes of the mark', () => {
  const { container } = render(<Mark />);
  const icon = readFileSync(join(import.meta.dirname, '../../public/assets/favicon.svg'), 'utf8');
  const shapes = [...container.querySelectorAll('rect, path, circle')].flatMap((shape) =>
    [...shape.attributes].map(({ name, value }) => `${name}="${value}"`),
  );
  expect(shapes.length).toBeGreaterThan(5);
  expect(shapes.filter((shape) => !icon.includes(shape))).toEqual([]);
});
