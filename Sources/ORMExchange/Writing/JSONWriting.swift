internal import ORM

/// The state of writing one text, which the writers of nested objects share.
final class JSONWriting {
  /// The mappings of targets that declare none.
  let targets: SharedTargets
  /// The objects that are being written, the outermost first.
  private var open: [(model: ObjectIdentifier, key: [StoredValue])] = []
  /// The greatest depth to which objects may be nested, which can be read again.
  private static let depth = 100

  init(_ targets: SharedTargets) { self.targets = targets }

  /// Returns whether an object may be written inside of those that are open.
  ///
  /// One that is open already would never end, and is written as its key.
  func canOpen<Target: PrimaryKeyed>(_ target: Target) -> Bool {
    guard open.count < Self.depth else { return false }
    guard let key = try? target.id.keyValues() else { return false }
    let model = ObjectIdentifier(Target.self)
    return !open.contains { $0.model == model && $0.key == key } || isUnassigned(target)
  }

  private func isUnassigned<Target: PrimaryKeyed>(_ target: Target) -> Bool {
    target.id.isUnassigned(for: Target.self)
  }

  /// Calls a closure while an object counts as open.
  func opening<Model: Persistable>(_ model: Model, _ body: () throws -> Void) rethrows {
    let key = (model as? any PrimaryKeyed).flatMap { try? Self.key(of: $0) } ?? []
    open.append((ObjectIdentifier(Model.self), key))
    defer { open.removeLast() }
    try body()
  }

  private static func key(of model: some PrimaryKeyed) throws -> [StoredValue] {
    try model.id.keyValues()
  }
}
