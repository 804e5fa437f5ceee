import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, it } from 'vitest';
import { ErrorNote } from './error-note.tsx';

describe('an error note', () => {
  it('hides the details of an error in the page itself', () => {
    render(
      <MantineProvider>
        <ErrorNote error={new TypeError('x is undefined')} />
      </MantineProvider>,
    );
    screen.getByText('Something went wrong. Reload the page.');
  });
});
