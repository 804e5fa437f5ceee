import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { expectDialogClosed, findDialog, renderScreen } from '../../test/render-screen.tsx';

it('a closed dialog returns the focus to the button that opened it', async () => {
  const { user } = renderScreen('/clients');
  await screen.findByText('No clients yet');
  const button = await screen.findByRole('button', { name: 'Create client' });
  button.focus();
  await user.keyboard('{Enter}');
  await findDialog('Create client');
  await waitFor(() => expect(document.activeElement).not.toBe(button));
  await user.keyboard('{Escape}');
  await expectDialogClosed();
  expect(document.activeElement).toBe(button);
});
