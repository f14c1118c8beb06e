import { getAdditionalKeys } from 'n8n-core';
import {
	deepCopy,
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type ICredentialsExpressionResolveValues,
	type ICredentialType,
	type IExecuteData,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
	type IWorkflowExecuteAdditionalData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

const CREDENTIAL_NODE: INode = {
	id: 'credential',
	name: 'Credential',
	type: 'credential',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

const NO_PROPERTIES = { description: { properties: [] as INodeProperties[] } } as INodeType;

function withoutWorkflow() {
	return new Workflow({
		nodes: [CREDENTIAL_NODE],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => NO_PROPERTIES,
			getByNameAndVersion: () => NO_PROPERTIES,
			getKnownTypes: () => ({}),
		},
	});
}

/**
 * Hands out credentials as n8n's own helper does, except that they come from memory, unencrypted:
 * defaults are filled in, fields that their display options hide are left out, expressions are
 * resolved for the item, and the credential type's own `authenticate` signs the request.
 */
export class InMemoryCredentialsHelper extends ICredentialsHelper {
	constructor(
		private readonly type: ICredentialType,
		private readonly supportedNodeType: string,
		private readonly stored?: ICredentialDataDecryptedObject,
	) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(_credentialType: string, nodeType: string): boolean {
		return !this.type.restrictToSupportedNodes || nodeType === this.supportedNodeType;
	}

	getCredentialsProperties(): INodeProperties[] {
		return this.type.properties;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.type;
		if (typeof authenticate !== 'function') {
			throw new Error(`Credential type '${typeName}' does not authenticate by a function`);
		}
		return await authenticate(credentials, requestOptions);
	}

	async preAuthentication(): Promise<undefined> {
		// n8n calls it before each request, and does something only for a field that expires.
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		throw new Error('Token exchange is not part of the tests');
	}

	async getDecrypted(
		additionalData: IWorkflowExecuteAdditionalData,
		_nodeCredentials: INodeCredentialsDetails,
		_type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		raw?: boolean,
		itemContext?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		if (!this.stored) throw new Error('The test gave the node no credential');
		if (raw) return deepCopy(this.stored);

		const shown = NodeHelpers.getNodeParameters(
			this.type.properties,
			deepCopy(this.stored) as INodeParameters,
			true,
			false,
			null,
			null,
		) as INodeParameters;
		const keys = getAdditionalKeys(additionalData, mode, null, { isCredential: true });

		const resolved = itemContext
			? itemContext.workflow.expression.getParameterValue(
					shown,
					itemContext.runExecutionData,
					itemContext.runIndex,
					itemContext.itemIndex,
					itemContext.node.name,
					itemContext.connectionInputData,
					mode,
					keys,
					executeData,
					false,
					shown,
				)
			: withoutWorkflow().expression.getComplexParameterValue(
					CREDENTIAL_NODE,
					shown,
					mode,
					keys,
					undefined,
					undefined,
					shown,
				);
		return resolved as ICredentialDataDecryptedObject;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Encrypted credentials are not part of the tests');
	}

	async updateCredentials(): Promise<void> {
		throw new Error('Changing credentials is not part of the tests');
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('Changing credentials is not part of the tests');
	}
}
