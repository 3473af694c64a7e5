internal import FoundationEssentials
internal import ORMStorage

extension MigrationRun {
  /// The error of a part of a migration, with the part, the cause and the conflicting rows.
  func failure(_ part: String, _ error: any Error) -> any Error {
    if error is CancellationError { return error }
    let closure = error as? ClosureFailure
    if let closure, !(closure.error is StoreError) {
      return StoreError(
        .migrationFailed,
        "\(part): the closure threw \(closure.error)\(closure.rows); the store is as it was",
        entity: closure.entity, key: closure.key, attributes: closure.attributes)
    }
    guard let cause = closure?.named ?? (error as? StoreError) else {
      return StoreError(
        .migrationFailed, "\(part): \(error); the store is as it was", failures: [])
    }
    if [.invalidPlan, .migrationFailed, .deadlineExceeded].contains(cause.code) { return cause }
    // An error about several rows lists them in its failures.
    let failures = cause.failures.isEmpty ? [cause] : cause.failures
    let rows = closure?.rows ?? StoreError.rows(of: failures)
    return StoreError(
      .migrationFailed, "\(part): \(cause.message)\(rows); the store is as it was",
      entity: cause.entity, key: failures.first?.key ?? [], attributes: cause.attributes,
      failures: failures)
  }
}

/// An error that a closure of a step threw, with the row that it was called for.
struct ClosureFailure: Error {
  let error: any Error
  let entity: String
  let key: [StoredValue]
  let attributes: [String]
  /// True if the closure was called for a batch, and the row is its first.
  let isBatch: Bool

  /// The error of a closure that threw one of this library's.
  var named: StoreError? {
    (error as? StoreError)?.filling(entity: entity, key: key, attributes: attributes)
  }

  /// The row or the batch in words.
  fileprivate var rows: String {
    guard let text = key.keyText else { return "" }
    return isBatch ? ", at the rows from \(text) on" : ", at row \(text)"
  }

  /// Calls a closure for a row, or for a batch that begins with it.
  static func naming<Result>(
    _ entity: String, _ key: @autoclosure () -> [StoredValue], _ attributes: [String] = [],
    isBatch: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch {
      throw ClosureFailure(
        error: error, entity: entity, key: key(), attributes: attributes, isBatch: isBatch)
    }
  }
}

extension StoreError {
  /// The first rows of the first entity that failures name, in words; empty if they name none.
  fileprivate static func rows(of failures: [StoreError]) -> String {
    var texts: [String] = []
    for failure in failures where failure.entity == failures[0].entity {
      if let text = failure.key.keyText, !texts.contains(text) { texts.append(text) }
    }
    if texts.isEmpty { return "" }
    let named = texts.prefix(5).joined(separator: ", ")
    return
      ", at \(texts.count == 1 ? "row" : "rows") \(named)\(texts.count > 5 ? " and others" : "")"
  }
}

extension [StoredValue] {
  /// The text of a key of integers and UUIDs; nil for any other, which may say something about a person.
  fileprivate var keyText: String? {
    let parts = compactMap { part -> String? in
      switch part {
      case .int(let value): "\(value)"
      case .uint(let value): "\(value)"
      case .uuid(let value): value.uuidString
      default: nil
      }
    }
    guard !isEmpty, parts.count == count else { return nil }
    return count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
  }
}
