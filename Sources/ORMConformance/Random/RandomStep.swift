internal import ORM
internal import ORMCore

/// One step of a sequence of writes: a value, which every store and the naive model are given.
indirect enum RandomStep: Sendable {
  /// Rows by names, each with as many attributes as it has.
  case put(PutRequest.Mode, [NaiveRow])
  /// Typed models by key; `isBatch` says whether one of them goes through the operation of many.
  case save(TypedSave)
  /// A typed model, or several, into the rows that match.
  case match(MatchSave)
  /// Values that are set in the rows that equal others in some attributes.
  case patch(Patch)
  /// A set-based update.
  case change(Selection, [String: Operand])
  /// A set-based deletion.
  case delete(Selection)
  /// Rows by their keys.
  case deleteKeys([[StoredValue]])
  /// Every row.
  case deleteAll
  /// A request inside the transaction.
  case ask(RandomRequest)
  /// Steps in a savepoint, undone at its end or not.
  case savepoint([RandomStep], isUndone: Bool)
  /// Steps in a transaction of their own; anything else is one alone.
  case transaction([RandomStep], isUndone: Bool)
  /// The store is closed and opened again.
  case reopen

  struct TypedSave: Sendable {
    var mode: PutRequest.Mode
    var rows: [NaiveRow]
    var merge = Merge.replace
    var isBatch = false
    /// True if two objects with one key are an error.
    var refusesDuplicates = false
  }

  enum Merge: Sendable {
    case replace
    case skippingNil
    case only([String])
    case insertOnly
  }

  struct MatchSave: Sendable {
    var rows: [NaiveRow]
    var equal: [String]
    var contain: [String]
    var isBatch: Bool
    var onMissing: OnMissing
    var matches: MatchPolicy
    var merge: Merge
  }

  struct Patch: Sendable {
    /// The attributes with the values that the rows equal; the whole key, where it is a patch by
    /// key.
    var equalities: [String: StoredValue]
    var isByKey: Bool
    var changes: [String: StoredValue]
    var onMissing: OnMissing
  }

  struct Selection: Sendable {
    var condition: Condition
    var order: [SortTerm] = []
    var limit: Int?
    var offset = 0
    /// True if the first alone is meant, by the typed operation.
    var isFirst = false
  }
}

extension RandomStep.Patch {
  /// The condition of the rows, with the parts in one order.
  var condition: Condition {
    .all(
      equalities.sorted { $0.key < $1.key }.map {
        .compare(.attribute($0.key), .equal, .value($0.value), [])
      })
  }
}

extension RandomStep.Selection {
  var query: DynamicQuery {
    DynamicQuery("Row", where: condition, order: order, limit: limit, offset: offset)
  }

  /// The rows of the naive model that are meant.
  func rows(of model: NaiveModel) throws -> [NaiveRow] {
    let rows = try model.rows(
      where: condition, order: order, paging: .limit(limit, offset: offset))
    return isFirst ? Array(rows.prefix(1)) : rows
  }
}
