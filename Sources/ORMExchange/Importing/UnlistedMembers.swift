internal import ORM

/// The stored members that lists of a record lack, and that are deleted before it is saved.
final class UnlistedMembers {
  private let transaction: WriteTransaction
  /// The relationship of the record that is read.
  var link: String?
  private var deletions: [(link: String?, entity: String, delete: () throws -> Int)] = []

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  var isEmpty: Bool { deletions.isEmpty }

  /// Begins a record.
  func begin() {
    link = nil
    if !deletions.isEmpty { deletions.removeAll() }
  }

  /// Notes the members of a stored row that an object does not list.
  func note<End: RelationshipEnd>(_ end: End, of model: End.Model, key: [StoredValue]) throws {
    func members<Owner: PrimaryKeyed>(_ owner: Owner.Type) throws -> [End.Target.ID] {
      guard let id = try? Owner.ID(keyValues: key), let row = try transaction.find(owner, id)
      else { return [] }
      let tree = PrefetchTree([.init(relationship: end.declaration.name)])
      let loaded = try transaction.loadGraph(roots: [row], tree: tree)
      return (loaded.first as? End.Model).flatMap { end.ids(of: $0) } ?? []
    }
    guard let owner = End.Model.self as? any PrimaryKeyed.Type else { return }
    var listed = KeyPositions<End.Target.ID>(of: End.Target.self)
    for (index, id) in (end.ids(of: model) ?? []).enumerated() { _ = listed.insert(id, at: index) }
    let unlisted = try members(owner).filter { listed.position(of: $0) == nil }
    if unlisted.isEmpty { return }
    deletions.append(
      (
        link, End.Target.entity.written.name,
        { [transaction] in try transaction.delete(End.Target.self, ids: unlisted) }
      ))
  }

  /// Deletes the members below some relationships of the record, and returns their numbers by entity.
  func delete(below isSaved: (String) -> Bool) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for deletion in deletions where deletion.link.map(isSaved) ?? true {
      counts[deletion.entity, default: 0] += try deletion.delete()
    }
    return counts
  }
}
