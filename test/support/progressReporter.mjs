const FILES_PER_LINE = 10;

/** Outside a terminal, Jest does not say how many test files are left. */
export default class {
	onTestFileResult(_test, _result, results) {
		const finished = results.testResults.length;
		if (process.stdout.isTTY || finished % FILES_PER_LINE > 0) return;
		console.error(
			`${finished} of ${results.numTotalTestSuites} test files: ${results.numPassedTests} tests passed, ${results.numFailedTests} failed`,
		);
	}
}
