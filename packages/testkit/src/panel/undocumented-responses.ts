/** What the panels of a test file sent that their API description does not contain. */
const findings = new Set<string>();

export const addUndocumentedResponse = (finding: string) => void findings.add(finding);
export const listUndocumentedResponses = () => [...findings];
export const clearUndocumentedResponses = () => findings.clear();
