internal import ORM

/// The keys of objects that an import saves only where no row has them.
///
/// A row may come from the records before, those that wait to be saved among them.
final class NewTargets {
  private let transaction: WriteTransaction
  /// The keys that rows have, and those of objects that wait, by the roots of their entities.
  private var stored: [String: Set<GroupKey>] = [:]
  private var waiting: [String: Set<GroupKey>] = [:]
  /// The keys of objects of the record that is read.
  private var own: [String: Set<GroupKey>] = [:]
  /// True if an object of the record may be one that waits, which must be saved before.
  private(set) var mustSave = false

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  var count: Int { (Array(stored.values) + Array(waiting.values)).reduce(0) { $0 + $1.count } }

  /// Begins a record.
  func begin() {
    mustSave = false
    own.removeAll()
  }

  /// Counts the objects of the record among those that wait.
  func keep() {
    waiting.merge(own) { $0.union($1) }
    own.removeAll()
  }

  /// Forgets all keys.
  func removeAll() {
    begin()
    stored.removeAll()
    waiting.removeAll()
  }

  private func root<Model: Persistable>(of model: Model.Type) -> String {
    transaction.store.schema.root(of: model.entity.written.name)
  }

  /// Notes the key of an object that is saved with the record.
  func note<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) throws {
    own[root(of: model), default: []].insert(GroupKey(try id.keyValues()))
  }

  /// Returns whether a row has a key, or an object of the record that comes before.
  func isStored<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) throws -> Bool {
    let root = root(of: model)
    let key = GroupKey(try id.keyValues())
    if stored[root]?.contains(key) == true || own[root]?.contains(key) == true { return true }
    if waiting[root]?.contains(key) == true { mustSave = true }
    guard try transaction.find(model, id) != nil else { return false }
    stored[root, default: []].insert(key)
    return true
  }
}
