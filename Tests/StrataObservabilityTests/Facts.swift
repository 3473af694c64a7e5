#if Observability
  import ORMStorage
  import ORMValues

  /// Facts as a store reports them, made by hand.
  enum Facts {
    static let store = StoreFacts(name: "snacks.sqlite", system: "sqlite")

    static func operation(
      _ kind: OperationKind = .fetch, _ entity: String = "Snack", rows: Int = 3,
      rowsRead: Int? = nil, milliseconds: Int = 2, error: StoreError.Code? = nil,
      statement: String? = nil, transaction: UInt64 = 1
    ) -> OperationFacts {
      var facts = OperationFacts(
        number: 1, transaction: transaction, store: store, operation: kind, entity: entity,
        shape: nil, isInternal: false)
      facts.rows = rows
      facts.rowsRead = rowsRead
      facts.ran = .milliseconds(milliseconds)
      facts.errorCode = error
      facts.statement = statement
      return facts
    }

    static func transaction(
      _ access: TransactionFacts.Access = .read, isOperation: Bool = false,
      operation: OperationKind? = nil, entity: String? = nil, waited: Int = 1, ran: Int = 5,
      attempts: Int = 1, operations: Int = 1, error: StoreError.Code? = nil
    ) -> TransactionFacts {
      var facts = TransactionFacts(number: 1, store: store, access: access)
      facts.isOperation = isOperation
      facts.operation = operation
      facts.entity = entity
      facts.waited = .milliseconds(waited)
      facts.ran = .milliseconds(ran)
      facts.attempts = attempts
      facts.operations = operations
      facts.errorCode = error
      return facts
    }
  }
#endif
