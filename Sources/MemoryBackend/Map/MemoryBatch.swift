import ORMStorage
package import OrderedEngine

/// The write transaction of a ``MemoryMap``: its own roots, and an ``Edit`` that knows its own nodes.
///
/// Keys and values given to it may lie in the map itself. It rolls back when it is released.
package final class MemoryBatch: OrderedBatch {
  package typealias Cursor = MemoryCursor

  private let map: MemoryMap
  private let published: MemoryMap.Published
  private let edit: Edit
  private let allowance: Int
  /// The keyspaces that were read or written, in the order of their first use.
  private var opened: [(keyspace: Keyspace, open: OpenKeyspace)] = []
  private var openKeyspaces = KeyspaceTable<OpenKeyspace>()
  /// The keyspace used last, which is the likeliest to be used next.
  private var lastKeyspace: Keyspace = 0
  private var lastOpen: OpenKeyspace?
  private var savepoints = 0
  private var isOver = false

  init(map: MemoryMap, published: MemoryMap.Published, edit: Edit) {
    self.map = map
    self.published = published
    self.edit = edit
    allowance = edit.allowance
  }

  deinit { end() }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    try open(keyspace).tree.value(of: key)
  }

  package func cursor(in keyspace: Keyspace) throws -> MemoryCursor {
    MemoryCursor(try open(keyspace), owner: self)
  }

  package func count(of keyspace: Keyspace) throws -> Int { try open(keyspace).tree.count }

  package func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? { try open(keyspace).tree.estimatedCount(from: lower, to: upper) }

  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws {
    let open = try open(keyspace)
    open.footing.shake()
    _ = try open.tree.set(key, value, onlyNew: false, edit)
  }

  package func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> Bool {
    let open = try open(keyspace)
    open.footing.shake()
    return try open.tree.set(key, value, onlyNew: true, edit)
  }

  package func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
    let open = try open(keyspace)
    open.footing.shake()
    return open.tree.remove(key, edit)
  }

  package func removeAll(in keyspace: Keyspace) throws {
    let open = try open(keyspace)
    open.footing.shake()
    open.tree.removeAll(edit)
  }

  package func savepoint(_ body: () throws -> Void) throws {
    guard !isOver else { throw MemoryCursor.ended }
    let mark = edit.beginSavepoint()
    let trees = opened.map(\.open.tree)
    shakeAll()
    savepoints += 1
    defer { savepoints -= 1 }
    do {
      try body()
    } catch {
      if !isOver { undo(to: trees, mark) }
      throw error
    }
    guard !isOver else { throw MemoryCursor.ended }
    edit.keep(since: mark)
    shakeAll()
  }

  package func commit() throws {
    guard !isOver else { throw MemoryCursor.ended }
    precondition(savepoints == 0, "a batch cannot be committed inside one of its savepoints")
    var next = published
    for (keyspace, open) in opened where open.tree.root != open.published.root {
      next.trees[keyspace] = open.tree
    }
    next.generation = edit.stamp
    next.bytes += allowance - edit.allowance
    close()
    map.publish(next, edit)
  }

  package func end() {
    guard !isOver else { return }
    edit.keepAll()
    restore([])
    close()
    map.abandonBatch()
  }

  /// The trees of the keyspaces it has used.
  var trees: [BTree] { opened.map(\.open.tree) }

  private func close() {
    isOver = true
    lastOpen = nil
    for (_, open) in opened { open.footing.end() }
  }

  /// Undoes a savepoint.
  private func undo(to trees: [BTree], _ mark: Edit.Mark) {
    restore(trees)
    edit.undo(since: mark)
    shakeAll()
  }

  /// Gives each keyspace its former tree, and frees the nodes made since.
  private func restore(_ trees: [BTree]) {
    for (index, (_, open)) in opened.enumerated() {
      let tree = index < trees.count ? trees[index] : open.published
      if let root = open.tree.root, root != tree.root { edit.free(newIn: root) }
      open.tree = tree
    }
  }

  private func shakeAll() {
    for (_, open) in opened { open.footing.shake() }
  }

  @inline(__always)
  private func open(_ keyspace: Keyspace) throws -> OpenKeyspace {
    if keyspace == lastKeyspace, let lastOpen { return lastOpen }
    return try open(another: keyspace)
  }

  private func open(another keyspace: Keyspace) throws -> OpenKeyspace {
    guard !isOver else { throw MemoryCursor.ended }
    let open = openKeyspaces[keyspace] ?? open(first: keyspace)
    lastKeyspace = keyspace
    lastOpen = open
    return open
  }

  private func open(first keyspace: Keyspace) -> OpenKeyspace {
    let open = OpenKeyspace(published.trees[keyspace] ?? BTree())
    opened.append((keyspace, open))
    openKeyspaces[keyspace] = open
    return open
  }
}
