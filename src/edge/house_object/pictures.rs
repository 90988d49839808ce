//! The pictures that operators keep and pages show. They lie in a table of their own, beside the journal.

use super::Shell;
use crate::brand::image::IMAGES_MAX;
use crate::edge::dice;
use crate::edge::pictures::{NotKept, Pictures};
use crate::settings::rooms_showing;
use worker::{Response, Result};

impl Shell {
    /// Answers with the bytes of a picture.
    pub(super) fn picture(&self, name: &str) -> Result<Response> {
        match Pictures::open(&self.state)?.bytes(name)? {
            Some(bytes) => Response::from_bytes(bytes),
            None => Response::error("the house has no such picture", 404),
        }
    }

    /// Answers with every picture and the rooms whose pages show it.
    pub(super) fn pictures(&self) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?.list()?;
        let shown: Result<Vec<_>> = pictures
            .into_iter()
            .map(|picture| {
                let rooms = self.rooms_with(&picture.name)?;
                Ok(picture.shown_by(rooms))
            })
            .collect();
        Response::from_json(&shown?)
    }

    pub(super) fn keep_picture(&self, bytes: Vec<u8>) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?;
        match pictures.put(dice::now_ms(), bytes)? {
            Ok(name) => Response::ok(name),
            Err(NotKept::Bad(why)) => Response::error(why.to_string(), 400),
            Err(NotKept::Full) => Response::error(
                format!(
                    "The house keeps {IMAGES_MAX} pictures, and no more. Delete one that no page shows."
                ),
                409,
            ),
        }
    }

    pub(super) fn drop_picture(&self, name: &str) -> Result<Response> {
        let pictures = Pictures::open(&self.state)?;
        let rooms = self.rooms_with(name)?;
        if !rooms.is_empty() {
            let why = format!(
                "The pages of {} show this picture. Give them another first.",
                rooms.join(", ")
            );
            return Response::error(why, 409);
        }
        if !pictures.has(name)? {
            return Response::error("The house has no such picture.", 404);
        }
        pictures.forget(name)?;
        Response::empty()
    }

    /// Returns the rooms whose pages show a picture.
    fn rooms_with(&self, name: &str) -> Result<Vec<String>> {
        let (file, _) = self.file()?;
        self.read(|living| Ok(rooms_showing(&file, living.house(), name)))
    }
}
