internal import FoundationEssentials
internal import ORMStorage

/// A check of the contents stored outside of rows against the references of the rows.
///
/// A content that is missing, cut off or changed is found where its row is read, with entity and key;
/// here are the counts, and contents whose digest is not their name.
struct ExternalVerification {
  private let base: any StoreReader
  private let view: ExternalReader

  init(_ base: any StoreReader, _ view: ExternalReader) {
    self.base = base
    self.view = view
  }

  func run(_ found: (StoreError) throws -> Void) throws {
    var seen: [ExternalReference: Int] = [:]
    for table in view.layer.tables.values {
      try count(table, &seen, found)
    }
    let counts = try ExternalCounts(base).counts(of: seen.keys.map(\.digest))
    for (reference, references) in seen {
      let counted = counts[reference.digest]?.references ?? 0
      if counted < references {
        try found(
          StoreError(
            .corrupt,
            "\(references) values refer to the external content \(reference.digest.text), but "
              + "its count is \(counted)",
            entity: ExternalContents.name, key: [.data(Data(reference.digest.bytes))]))
      }
      if counted > references { try found(Self.overcounted(reference.digest)) }
      guard let content = try? view.content(of: reference) else { continue }
      if content.withUnsafeBytes({ SHA256(of: $0) }) != reference.digest {
        try found(
          StoreError(
            .corrupt, "the external content \(reference.digest.text) does not match its digest",
            entity: ExternalContents.name, key: [.data(Data(reference.digest.bytes))]))
      }
    }
    try findUnreferenced(seen, found)
  }

  /// Returns the fault of a content that is counted more often than rows refer to it.
  ///
  /// Such a content is retained for longer than necessary, and nothing is lost.
  private static func overcounted(_ digest: SHA256) -> StoreError {
    StoreError(
      .overcountedContent,
      "the count of the external content \(digest.text) is higher than the number of values that "
        + "refer to it",
      entity: ExternalContents.name, key: [.data(Data(digest.bytes))])
  }

  /// Reports contents that are counted, and that no row refers to.
  private func findUnreferenced(
    _ seen: [ExternalReference: Int], _ found: (StoreError) throws -> Void
  ) throws {
    let known = Set(seen.keys.map(\.digest))
    try ExternalCounts(base).read(unused: false) { digest, count in
      if count.references > 0, !known.contains(digest) { try found(Self.overcounted(digest)) }
    }
  }

  private func count(
    _ table: ExternalTable, _ seen: inout [ExternalReference: Int],
    _ found: (StoreError) throws -> Void
  ) throws {
    let output = table.columns.map {
      Operand.attribute(table.entity.columns[$0].attribute)
    }
    var visitor = ReferenceCounter(table: table)
    do {
      try base.visit(FetchRequest(of: table.entity, output: .values(output)), &visitor)
    } catch let error as StoreError {
      // The check of the rows reports damage in them; the references counted before it remain.
      guard error.code == .corrupt || error.code == .decoding else { throw error }
    }
    seen.merge(visitor.seen) { $0 + $1 }
  }
}

/// A visitor that counts references of rows to contents.
///
/// It skips damaged values: the check of the rows reports them.
private struct ReferenceCounter: RowVisitor {
  let table: ExternalTable
  var seen: [ExternalReference: Int] = [:]

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    for column in 0..<row.columnCount where (try? row.isNull(at: column)) == false {
      let reference = try? row.withBytes(at: column) { try ExternalForm.reference(in: $0) }
      if let reference { seen[reference, default: 0] += 1 }
    }
    return .next
  }
}

extension StoreError.Code {
  /// A content is counted too often: a check reports it beside the faults, and it is never thrown.
  package static let overcountedContent = Self(rawValue: "overcountedContent")
}
