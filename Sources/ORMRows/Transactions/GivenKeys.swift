/// The keys that a transaction gave to objects of class models, in order, so that they can be taken back
/// when its writes are undone.
package struct GivenKeys {
  private var undo: [() -> Void] = []

  /// The number of keys given so far.
  package var count: Int { undo.count }

  /// Notes how a key that was given is taken back.
  package mutating func note(_ takeBack: @escaping () -> Void) { undo.append(takeBack) }

  /// Takes back all but the first `count` keys, the last first.
  package mutating func takeBack(to count: Int) {
    while undo.count > count { undo.removeLast()() }
  }

  /// Keeps the given keys: the transaction was committed.
  package mutating func settle() { undo = [] }
}
