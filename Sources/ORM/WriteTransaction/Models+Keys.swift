internal import ORMCore

extension Array where Element: PrimaryKeyed {
  /// The models' keys.
  ///
  /// They are written into their final buffer: a generic map, and a key path more so, looks types
  /// up for every element.
  var ids: [Element.ID] {
    withUnsafeBufferPointer { models in
      [Element.ID](unsafeUninitializedCapacity: models.count) { keys, count in
        guard let first = keys.baseAddress else { return }
        for index in models.indices { (first + index).initialize(to: models[index].id) }
        count = models.count
      }
    }
  }
}
