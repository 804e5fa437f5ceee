import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, it } from 'vitest';
import { ErrorNote } from './error-note.tsx';

describe('ErrorNote', () => {
  it('hides the details of an error that is not a response of the panel', () => {
    render(
      <MantineProvider>
        <ErrorNote error={new TypeError('x is undefined')} />
      </MantineProvider>,
    );
    screen.getByText('Something went wrong. Reload the page.');
  });
});
