internal import ORM

/// The stored members that lists of a record lack, and that are deleted before it is saved.
final class UnlistedMembers {
  private let transaction: WriteTransaction
  /// The relationship of the record that is read.
  var link: String?
  private var deletions: [(link: String?, delete: () throws -> Int)] = []

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  var isEmpty: Bool { deletions.isEmpty }

  /// Begins a record.
  func begin() {
    link = nil
    if !deletions.isEmpty { deletions.removeAll() }
  }

  /// Notes the members of a stored row that an object does not list.
  func note<End: RelationshipEnd>(_ end: End, of model: End.Model, key: [StoredValue]) throws {
    func members<Holder: PrimaryKeyed>(_ holder: Holder.Type) throws -> [End.Target.ID] {
      guard let id = try? Holder.ID(keyValues: key), let row = try transaction.find(holder, id)
      else { return [] }
      let tree = PrefetchTree([.init(relationship: end.declaration.name)])
      let loaded = try transaction.loadGraph(roots: [row], tree: tree)
      return (loaded.first as? End.Model).flatMap { end.ids(of: $0) } ?? []
    }
    guard let holder = End.Model.self as? any PrimaryKeyed.Type else { return }
    var listed = KeyPositions<End.Target.ID>(of: End.Target.self)
    for (index, id) in (end.ids(of: model) ?? []).enumerated() { _ = listed.insert(id, at: index) }
    let unlisted = try members(holder).filter { listed.position(of: $0) == nil }
    if unlisted.isEmpty { return }
    deletions.append((link, { [transaction] in
      try transaction.delete(End.Target.self, ids: unlisted)
    }))
  }

  /// Deletes the members below some relationships of the record, and returns their number.
  func delete(below isSaved: (String) -> Bool) throws -> Int {
    try deletions.reduce(0) { count, deletion in
      guard deletion.link.map(isSaved) ?? true else { return count }
      return count + (try deletion.delete())
    }
  }
}
