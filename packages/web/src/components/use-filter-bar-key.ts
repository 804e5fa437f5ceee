import { useReducer } from 'react';

/**
 * Returns a React key for a filter bar, and a function that changes it. Call it when the user clears all filters: the new
 * bar drops the text that its search field has not sent yet.
 */
export function useFilterBarKey(): [key: number, renew: () => void] {
  return useReducer((key: number) => key + 1, 0);
}
